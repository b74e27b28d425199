// To which receivers nothing can be sent for a lack of our own, and since when. Such a lack uses up no attempt and
// ends nothing: where it lasts, watch-lacks.ts tells somebody.
import type { PostResult } from './exchange.ts';

export interface OwnLacks {
  readonly heed: (url: string, result: PostResult) => void;
  /** Receivers, as `https://host:port`, that every send of ten minutes failed for, and the last not long ago. */
  readonly lasting: () => readonly string[];
}

interface Lack {
  readonly since: number;
  readonly seenAt: number;
}

const lastsMs = 600_000; // a shortage of files or memory that passes does so within minutes
/** They say nothing of what we are short of. */
const neverTried: ReadonlySet<string> = new Set(['closed', 'too-late']);

/** @param now milliseconds that never go back */
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
