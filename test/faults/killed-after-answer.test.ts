// A worker is killed after it has stored a late final, before it has acted on it.
import { test } from 'vitest';
import { lateAnswers } from '../harness/late-answers.ts';
import { expectHealed, type Stop } from './kill-between.ts';

const place = await lateAnswers();

const stops: readonly (Stop & { readonly before: string })[] = [
  {
    before: 'it is compared or confirmed',
    table: 'deliveries',
    event: 'update',
    of: "new.kind = 'confirmation' and new.asks > old.asks",
  },
  { before: 'its alert', table: 'audit_events', event: 'insert', of: "new.kind = 'payment.contradiction'" },
];

test.each(stops)(
  'kill -9 between a stored late final and $before: a contradiction, and the destination is told again (PAY-7, PAY-9)',
  (stop) => expectHealed(place, stop),
);
