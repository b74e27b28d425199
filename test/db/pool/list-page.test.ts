// A page of a list is read in slices: none is lost or doubled, however few rows match.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ListPlace } from '../../../core/list-place.ts';
import { readListPage, type Scanned, type Slice } from '../../../db/pool/list-page.ts';

const idOf = (nth: number) => String(nth).padStart(6, '0');

/** A list whose n-th row has the id n; reads as the statements do. */
function listOf(matches: readonly boolean[]) {
  const slices: Slice[] = [];
  const read = (slice: Slice): Promise<readonly Scanned[]> => {
    slices.push(slice);
    const from = slice.after === undefined ? 0 : Number(slice.after.id) + 1;
    const scanned = matches
      .slice(from, from + slice.size)
      .map((isMatch, nth) => ({ isMatch, nth: from + nth }));
    const last = scanned.at(-1);
    if (last === undefined) return Promise.resolve([]);
    const end = { lastAt: 'at', lastId: idOf(last.nth), scanned: scanned.length };
    const found = scanned.filter(({ isMatch }) => isMatch).slice(0, slice.left + 1);
    if (found.length === 0) return Promise.resolve([{ at: null, id: null, ...end }]);
    return Promise.resolve(found.map(({ nth }) => ({ at: 'at', id: idOf(nth), ...end })));
  };
  return { slices, read };
}

test('all pages together have each match once, in order, and none has more than its limit', async () => {
  const cases = fc.record({
    matches: fc.array(fc.boolean(), { maxLength: 60 }),
    limit: fc.integer({ min: 1, max: 9 }),
    rows: fc.integer({ min: 1, max: 20 }),
    forMs: fc.constantFrom(0, 1_000),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ matches, limit, ...look }) => {
      const { read } = listOf(matches);
      const ids: (string | null)[] = [];
      let after: ListPlace | undefined;
      do {
        const { rows, next } = await readListPage({ limit, ...(after && { after }) }, read, look);
        expect(rows.length).toBeLessThanOrEqual(limit);
        ids.push(...rows.map(({ id }) => id));
        after = next;
      } while (after !== undefined);
      expect(ids).toEqual(matches.flatMap((isMatch, nth) => (isMatch ? [idOf(nth)] : [])));
    }),
  );
});

test('if all match, one statement reads one page; if few do, the slices grow up to the most', async () => {
  const all = listOf(Array.from({ length: 500 }, () => true));
  await readListPage({ limit: 50 }, all.read);
  expect(all.slices.map(({ size }) => size)).toEqual([51]);
  const none = listOf(Array.from({ length: 20_000 }, () => false));
  await readListPage({ limit: 50 }, none.read, { rows: 5_000, forMs: 60_000 });
  expect(none.slices.map(({ size }) => size)).toEqual([51, 204, 816, 3_264, 5_000, 5_000, 5_000, 5_000]);
});
