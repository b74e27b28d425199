// `Prefer: wait=N` (RFC 7240), in time that grows with the header's length only: it is read before anything is judged.

const maxWaitSeconds = 30; // PAY-1

/** What stands in quotes; one that is not closed takes the rest, so that no character is looked at twice. */
const quoted = /"((?:[^"\\]|\\.)*)("?)/g;

/** Seconds, at most 30; undefined when it was not asked for. */
export function preferredWaitSeconds(prefer: string | undefined): number | undefined {
  // what stands in quotes is another preference's, unless it is the number itself
  const unquoted = (prefer ?? '').replaceAll(quoted, (_, text: string, end: string) =>
    end === '"' && /^\d{1,9}$/.test(text) ? text : '',
  );
  const match = /(?:^|,)\s*wait\s*=\s*(\d{1,9})\s*(?:[;,]|$)/i.exec(unquoted);
  return match === null ? undefined : Math.min(Number(match[1]), maxWaitSeconds);
}
