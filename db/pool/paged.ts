// Reads the work of the sweep page by page to the end (sweep.ts, unanswered.ts). This avoids head-of-line blocking by
// rows that make no progress.
import { sql, type RawBuilder } from 'kysely';

/** The position of a row in the order of reading: a time, and an id, because several rows may have the same time. */
export interface Place {
  readonly at: string;
  readonly id: string;
}

const first: Place = { at: '-infinity', id: '00000000-0000-0000-0000-000000000000' };
export const pageRows = 500;

/** Yields all rows, page by page. Works even if the caller's actions remove rows from the result. */
export async function* paged<Row extends object>(
  read: (after: Place) => Promise<{ readonly rows: readonly (Row & Place)[] }>,
  from = first,
): AsyncIterable<Row & Place> {
  let after: Place | undefined = from;
  while (after !== undefined) {
    const { rows }: { rows: readonly (Row & Place)[] } = await read(after);
    yield* rows as readonly Awaited<Row & Place>[];
    after = rows.length < pageRows ? undefined : rows.at(-1);
  }
}

/** SQL for a time so many milliseconds ago. Uses now(), which is stable, so that an index can be used. */
export const ago = (ms: number) => sql`now() - ${ms} * interval '1 millisecond'`;

const sliceRows = 5_000; // takes about 50 ms

/**
 * Scans all rows that no index can narrow, slice by slice, so that the time of a statement does not grow with the
 * record.
 * @param read reads a slice of so many rows, and marks those with work left as `isLeft`
 * @param from where an earlier scan stopped
 * @returns the rows with work left, each with its position
 */
export async function* sliced<Row extends object>(
  read: (
    after: Place,
    rows: number,
  ) => Promise<{ readonly rows: readonly (Row & Place & { isLeft: boolean })[] }>,
  from = first,
): AsyncIterable<Row & Place> {
  let after: Place | undefined = from;
  while (after !== undefined) {
    const { rows }: { rows: readonly (Row & Place & { isLeft: boolean })[] } = await read(after, sliceRows);
    for (const row of rows) if (row.isLeft) yield row;
    after = rows.length < sliceRows ? undefined : rows.at(-1);
  }
}

/** SQL: older than `ms`, or in the future, which means that the database clock was set back since. */
export const hasAged = (at: RawBuilder<unknown>, ms: number) => sql`(${at} < ${ago(ms)} or ${at} > now())`;
