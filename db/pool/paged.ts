// What the sweep looks for is read page after page to its end (sweep.ts, unanswered.ts), so that nothing that makes no
// progress hides what stands behind it.
import { sql, type RawBuilder } from 'kysely';

/** A row's place in the order in which it is looked at: a time, and an id, for much may come in the same moment. */
export interface Place {
  readonly at: string;
  readonly id: string;
}

const first: Place = { at: '-infinity', id: '00000000-0000-0000-0000-000000000000' };
export const pageRows = 500;

/** All rows, page by page, although what is done about them in between may remove them from the result. */
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

/** Milliseconds ago by the database clock; stable, so that an index can be asked for it. */
export const ago = (ms: number) => sql`now() - ${ms} * interval '1 millisecond'`;

const sliceRows = 5_000; // some 50 ms

/**
 * What no index finds: all rows are looked at, slice by slice, so that no statement takes longer the more there is on record.
 * @param read a slice, of so many rows, with what is to be done of it
 * @param from where it was left
 * @returns those that are left to do, each with its place
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

/** Older than that, or of a time that has not come: the clock of the database was set back since. */
export const hasAged = (at: RawBuilder<unknown>, ms: number) => sql`(${at} < ${ago(ms)} or ${at} > now())`;
