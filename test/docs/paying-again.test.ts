// Before anybody pays again: those who may, a source and a payer's bank, read the same, and whoever may think of it is
// led there.
import { expect, it } from 'vitest';
import { linksOf } from './markdown.ts';
import { readDocument } from './documents.ts';

const warning =
  "**Before you pay again after any `RJCT`, read [the record](call-the-api.md#read-the-record):** if `events` has a `payment.contradiction` whose `reported` is `ACCC` or `BLCK`, do not pay again until the scheme's operators have settled where the money is.";

it.each(['be-a-source', 'be-a-psp'])(
  'docs/how-to/%s.md: nobody pays again before the record was read for a contradiction (PAY-7)',
  (page) => {
    expect(readDocument(`docs/how-to/${page}.md`).split(warning)).toHaveLength(2);
  },
);

it('a book, which tells of no contradiction, leads to it (PAY-7, REC-1)', () => {
  const links = linksOf(readDocument('docs/how-to/reconcile.md'));
  expect(links).toContainEqual(
    expect.objectContaining({ path: 'be-a-source.md', anchor: 'what-an-answer-means' }),
  );
});
