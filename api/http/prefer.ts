// Reads `Prefer: wait=N` (RFC 7240) in linear time, because the header is read before anything is judged.

const maxWaitSeconds = 30; // PAY-1

/** A quoted string. One that is not closed takes the rest, so that no character is scanned twice. */
const quoted = /"((?:[^"\\]|\\.)*)("?)/g;

/** Seconds, at most 30; undefined if the header asks for no wait. */
export function preferredWaitSeconds(prefer: string | undefined): number | undefined {
  // a quoted string belongs to another preference, unless it is the number itself
  const unquoted = (prefer ?? '').replaceAll(quoted, (_, text: string, end: string) =>
    end === '"' && /^\d{1,9}$/.test(text) ? text : '',
  );
  const match = /(?:^|,)\s*wait\s*=\s*(\d{1,9})\s*(?:[;,]|$)/i.exec(unquoted);
  return match === null ? undefined : Math.min(Number(match[1]), maxWaitSeconds);
}
