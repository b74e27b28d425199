// Before anybody pays again: those who may, a source and a payer's bank, read the same, and whoever may think of it is
// led there.
import { expect, it } from 'vitest';
import { linksOf } from './markdown.ts';
import { readDocument } from './documents.ts';

const warning =
  "**Before you pay again after any `RJCT`, read [the record](call-the-api.md#read-the-record). Do not pay again if `events` has a `payment.contradiction` whose `reported` is `ACCC` or `BLCK`: the scheme's operators must first settle where the money is. If `decision.ruleId` is `TIM-1`, the payee may have been credited: the destination's operator must first say that it has not, unless [nothing left Isthmus](call-the-api.md#did-the-payment-leave).**";

it.each(['answers-and-retries', 'what-to-tell-customers'])(
  'docs/how-to/%s.md: nobody pays again before the record was read for a contradiction (PAY-7) and a missed deadline (TIM-1)',
  (page) => {
    expect(readDocument(`docs/how-to/${page}.md`).split(warning)).toHaveLength(2);
  },
);

it('a book, which tells of no contradiction, leads to it (PAY-7, REC-1)', () => {
  const links = linksOf(readDocument('docs/how-to/reconcile.md'));
  expect(links).toContainEqual(
    expect.objectContaining({ path: 'answers-and-retries.md', anchor: 'who-rejected' }),
  );
});
