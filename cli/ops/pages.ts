// Reads a list from the gateway page by page, up to a limit.
import type { Gateway, Query } from './connection.ts';

/** The reader's summary of the page that it got. */
export interface TakenPage {
  /** Address of the next page. */
  readonly next: string | null;
  readonly count: number;
  /** The reader needs no further page. */
  readonly isEnough?: boolean;
}

const pageSize = 500; // the gateway's maximum

/** @returns whether the list has more items */
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
