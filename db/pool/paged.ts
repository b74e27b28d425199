// Reads the rows for the sweep page by page, to the end (sweep.ts, unanswered.ts). This avoids head-of-line
// blocking by rows that make no progress.
import { sql, type RawBuilder } from 'kysely';

/** The position of a row in the order of reading: a time, and an id, because several rows may have the same time. */
export interface Place {
  readonly at: string;
  readonly id: string;
}

const first: Place = { at: '-infinity', id: '00000000-0000-0000-0000-000000000000' };
export const pageRows = 500;
/**
 * Rows that one statement reads in a scan that no index can narrow. They take about 50 ms, so the time of a
 * statement does not grow with the record.
 */
export const sliceRows = 5_000;

/**
 * Yields all rows, page by page. Works even if the caller's actions remove rows from the result.
 * @param read reads a page of `size` rows. It marks a row `isLeft: false` if no work is left for it; such a
 *   row is skipped.
 * @param from the position where an earlier scan stopped
 */
export async function* paged<Row extends object>(
  read: (
    after: Place,
  ) => Promise<{ readonly rows: readonly (Row & Place & { readonly isLeft?: boolean })[] }>,
  size: number,
  from = first,
): AsyncIterable<Row & Place> {
  let after: Place | undefined = from;
  while (after !== undefined) {
    const { rows }: Awaited<ReturnType<typeof read>> = await read(after);
    for (const row of rows) if (row.isLeft !== false) yield row;
    after = rows.length < size ? undefined : rows.at(-1);
  }
}

/** SQL: the time `ms` milliseconds ago. Uses now(), which is stable, so that an index can be used. */
export const ago = (ms: number) => sql`now() - ${ms} * interval '1 millisecond'`;

/**
 * SQL: the time is more than `ms` ago, or in the future. A future time means that the database clock was set
 * back.
 */
export const hasAged = (at: RawBuilder<unknown>, ms: number) => sql`(${at} < ${ago(ms)} or ${at} > now())`;
