// A message that no worker takes: its sender is told to try again, and the log says in one line what is away.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pino } from 'pino';
import { startApi, type RunningApi } from '../../../api/start.ts';
import { testGateway } from '../../harness/gateway.ts';
import { instruction } from '../../../fixtures/instruction.ts';
import { bestQuote, submit } from '../../harness/payer.ts';

const gateway = await testGateway({ worker: false });
const lines: string[] = [];
let api: RunningApi;
beforeAll(async () => {
  const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
  const { taskQueuePrefix } = gateway;
  api = await startApi({ ...gateway.config, port: 0 }, { logger, taskQueuePrefix, callTimeoutMs: 500 });
});
afterAll(() => api.close());

test('where Temporal answers and no worker does: 503 that asks for the same bytes, and one log line without a stack', async () => {
  const message = instruction(await bestQuote(gateway));
  const answer = await submit({ ...gateway, url: api.url }, message);
  expect(answer.httpStatus).toBe(503);
  expect(answer.text).toContain('may have been stored: send the same bytes again');
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({ route: '/iso20022/pacs008', msg: 'no worker answered within 0.5 s' }),
  ]);
  expect(lines[0]).not.toContain('stack');
});
