// What the sweep looks for is read page after page to its end (sweep.ts, unanswered.ts), so that nothing that makes no progress hides
// what stands behind it.
import { sql } from 'kysely';

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
  size = pageRows,
): AsyncIterable<Row> {
  let after: Place | undefined = first;
  while (after !== undefined) {
    const { rows }: { rows: readonly (Row & Place)[] } = await read(after);
    yield* rows as readonly Awaited<Row>[];
    after = rows.length < size ? undefined : rows.at(-1);
  }
}

/** Milliseconds ago by the database clock; stable, so that an index can be asked for it. */
export const ago = (ms: number) => sql`now() - ${ms} * interval '1 millisecond'`;
