// The receivers that this process cannot send to because it lacks resources, and since when. Such a shortage
// uses up no attempt and ends no delivery. If it lasts, watch-lacks.ts raises an alert.
import type { PostResult } from './exchange.ts';

export interface OwnLacks {
  readonly heed: (url: string, result: PostResult) => void;
  /**
   * Receivers, as `https://host:port`, to which every send failed for lack of resources for at least ten
   * minutes. The last failure is at most ten minutes old.
   */
  readonly lasting: () => readonly string[];
}

interface Lack {
  readonly since: number;
  readonly seenAt: number;
}

const lastsMs = 600_000; // Milliseconds. A passing shortage of files or memory ends within minutes.
/** These are not resource shortages: the send was held back. */
const neverTried: ReadonlySet<string> = new Set(['closed', 'too-late']);

/** @param now monotonic clock, in milliseconds */
export function createOwnLacks(now: () => number): OwnLacks {
  const lacks = new Map<string, Lack>();
  const isPast = ({ seenAt }: Lack) => now() - seenAt > lastsMs;
  return {
    heed: (url, result) => {
      const errorClass = result.outcome === 'ANSWERED' ? undefined : result.errorClass;
      if (errorClass !== undefined && neverTried.has(errorClass)) return;
      const { protocol, host } = new URL(url);
      const receiver = `${protocol}//${host}`;
      const known = lacks.get(receiver);
      if (errorClass !== 'own-resources') lacks.delete(receiver);
      else
        lacks.set(receiver, {
          since: known === undefined || isPast(known) ? now() : known.since,
          seenAt: now(),
        });
    },
    lasting: () => {
      for (const [receiver, lack] of lacks) if (isPast(lack)) lacks.delete(receiver);
      return [...lacks]
        .filter(([, { since, seenAt }]) => seenAt - since >= lastsMs)
        .map(([receiver]) => receiver)
        .sort();
    },
  };
}
