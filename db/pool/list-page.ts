// Reads one page of a list, newest first, in slices. Not every filter has an index. With slices, the time of
// each statement does not grow with the table, however few rows match.
import type { ListPlace } from '../../core/list-place.ts';
import { sliceRows } from './paged.ts';

/** How many rows a statement may scan, and for how long a page may be searched. */
export interface Look {
  readonly rows: number;
  readonly forMs: number;
}
const usualLook: Look = { rows: sliceRows, forMs: 1_000 }; // a second is well below the time limit of a request

/** The next rows to scan. */
export interface Slice {
  readonly size: number;
  /** How many rows the page still needs. */
  readonly left: number;
  readonly after: ListPlace | undefined;
}

/** The columns of each row of a slice's result. A slice without a match has one row, with null for the others. */
export interface Scanned {
  /** Place of the row in the list; null: no row of the slice matches. */
  readonly at: string | null;
  readonly id: string | null;
  /** Place of the last scanned row. */
  readonly lastAt: string;
  readonly lastId: string;
  /** Number of scanned rows. */
  readonly scanned: number;
}

/** @property next start of the next page; undefined after the last page */
export interface Found<Row> {
  readonly rows: readonly Row[];
  readonly next: ListPlace | undefined;
}

const growth = 4;

/**
 * Reads one page. After a second it returns the page with the rows found so far, however few they are.
 * @param read scans `size` rows after the place, and returns at most `left + 1` that match; none: the list has ended
 */
export async function readListPage<Row extends Scanned>(
  { limit, after }: { readonly limit: number; readonly after?: ListPlace },
  read: (slice: Slice) => Promise<readonly Row[]>,
  look = usualLook,
): Promise<Found<Row>> {
  const until = performance.now() + look.forMs;
  const rows: Row[] = [];
  let next = after;
  let size = limit + 1; // enough if all rows match
  do {
    const slice = { size: Math.min(size, look.rows), left: limit - rows.length, after: next };
    const found = foundIn(await read(slice), slice);
    rows.push(...found.rows);
    next = found.next;
    size *= growth;
  } while (next !== undefined && rows.length < limit && performance.now() < until);
  return { rows, next };
}

function foundIn<Row extends Scanned>(rows: readonly Row[], { size, left }: Slice): Found<Row> {
  const [end] = rows;
  const found = rows.filter(({ id }) => id !== null);
  const shown = found.slice(0, left);
  const { at, id } = shown.at(-1) ?? {};
  if (found.length > left && at != null && id != null) return { rows: shown, next: { at, id } };
  const isAll = end === undefined || end.scanned < size;
  return { rows: shown, next: isAll ? undefined : { at: end.lastAt, id: end.lastId } };
}
