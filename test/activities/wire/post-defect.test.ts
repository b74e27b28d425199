// A post that a defect of ours keeps from being written fails alone, as exchange.ts says: it ends no process.
import { afterAll, expect, test, vi } from 'vitest';
import { createOutbound } from '../../../activities/wire/outbound.ts';
import { entered, message, receiver } from './receivers.ts';

const http = createOutbound({ allowLoopback: true, headersTimeoutMs: 300, totalTimeoutMs: 800 });
afterAll(() => http.close());

test('a post with an unusable header is refused to its caller, who records a defect; nothing is thrown that nobody catches (SEC-9)', async () => {
  const uncaught = vi.fn();
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException').on('uncaughtException', uncaught);
  const url = await receiver((_, response) => response.end());
  const outcome = await entered(http, url)
    .post(url, message, { 'webhook-id': 'a\nb' })
    .catch((error: unknown) => (error as { code?: string }).code);
  process.removeAllListeners('uncaughtException');
  for (const listener of others) process.on('uncaughtException', listener);
  expect({ outcome, uncaught: uncaught.mock.calls.length }).toEqual({
    outcome: 'ERR_INVALID_CHAR',
    uncaught: 0,
  });
});
