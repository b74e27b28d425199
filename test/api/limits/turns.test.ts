// How many messages of one sender may wait (SEC-7).
import { expect, test } from 'vitest';
import { createTurns } from '../../../api/http/limits/turns.ts';
import { problemTexts } from '../../harness/problem-texts.ts';

const sender = 'SGDFAST';

test('where as many wait as may, one more is turned away, and told to come again (SEC-7)', async () => {
  const turns = createTurns({ atOnce: 1, waiting: 1, waitMs: 5_000 });
  let end: () => void = () => undefined;
  const first = turns.take(sender, () => new Promise<void>((resolve) => (end = resolve)));
  const second = turns.take(sender, () => Promise.resolve('answered'));
  const detail = problemTexts['too-many-messages'].told;
  expect(await turns.take(sender, () => Promise.resolve('answered'))).toMatchObject({
    code: 'too-many-messages',
    detail,
  });
  expect(await turns.take('THBPPAY', () => Promise.resolve('answered'))).toBe('answered');
  end();
  await first;
  expect(await second).toBe('answered');
});
