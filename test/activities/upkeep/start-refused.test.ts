// A worker or an api that cannot start, because somebody has its port for metrics: it ends before it has taken any work,
// which it would have had to leave half done (I-1, OBS-2).
import { createServer, type AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { startWorker } from '../../../activities/start.ts';
import { startApi } from '../../../api/start.ts';
import { testGateway } from '../../harness/gateway.ts';
import { quietPort } from '../../harness/quiet-port.ts';
import { testWorkflowBundle } from '../../harness/temporal.ts';

const gateway = await testGateway({ worker: false });
const { taskQueuePrefix } = gateway;
const holder = createServer();
await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
afterAll(() => holder.close());
const metrics = { host: '127.0.0.1', port: (holder.address() as AddressInfo).port };
const config = { ...gateway.config, metrics };
const workerConfig = { ...gateway.workerConfig, metrics };

const said: string[] = [];
const logger = pino({ level: 'warn' }, { write: (line: string) => void said.push(line) });

test('a worker asks for no task, and does nothing beside them', async () => {
  const workflowBundle = await testWorkflowBundle();
  const starting = startWorker(workerConfig, { logger, workflowBundle, taskQueuePrefix });
  await expect(starting).rejects.toThrow('EADDRINUSE');
  expect(said).toEqual([]); // of all that it does beside its tasks, each would fail without the database
});

test('an api answers nobody', async () => {
  const port = await quietPort();
  await expect(startApi({ ...config, port }, { logger, taskQueuePrefix })).rejects.toThrow('EADDRINUSE');
  expect(said).toEqual([]);
  await expect(fetch(`http://127.0.0.1:${port}/health/live`)).rejects.toThrow('fetch failed');
});
