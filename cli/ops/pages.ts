// How `isthmus ops` reads a list of the gateway: page after page, up to a limit.
import type { Gateway, Query } from './connection.ts';

/** What a reader of pages says of the one that it was given. */
export interface TakenPage {
  /** Address of the next page. */
  readonly next: string | null;
  readonly count: number;
  /** The reader needs no further page. */
  readonly isEnough?: boolean;
}

const pageSize = 500; // the most that the gateway gives

/** @returns whether there are more than were taken */
export async function eachPage(
  gateway: Gateway,
  path: string,
  { query, limit = Infinity }: { readonly query: Query; readonly limit?: number },
  take: (text: string) => TakenPage,
): Promise<boolean> {
  let cursor: string | undefined;
  let left = limit;
  for (;;) {
    const asked = { ...query, limit: String(Math.min(left, pageSize)), cursor };
    const { next, count, isEnough } = take(await gateway.get(path, asked));
    left -= count;
    if (next === null) return false;
    if (left <= 0 || isEnough === true) return true;
    cursor = new URL(next).searchParams.get('cursor') ?? undefined;
  }
}
