// A worker is killed after it has stored a late final, before it has settled the attempt.
import { test } from 'vitest';
import { lateAnswers } from '../harness/late-answers.ts';
import { expectHealed } from './kill-between.ts';

const place = await lateAnswers();

test('kill -9 between a stored late final and its settled attempt: a contradiction, and the destination is told again (PAY-7, PAY-9)', () =>
  expectHealed(place, {
    table: 'delivery_attempts',
    event: 'update',
    of: "exists (select from deliveries d where d.delivery_id = new.delivery_id and d.kind = 'instruction')",
  }));
