// An api that is asked to stop (OBS-4): it is not ready from that moment on, and still answers whoever comes meanwhile.
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { startApi } from '../../../api/start.ts';
import { testGateway } from '../../harness/gateway.ts';

const gateway = await testGateway();

test('says so first, answers what comes meanwhile, and then ends', async () => {
  const config = { ...gateway.config, port: 0, drainSeconds: 2 };
  const { taskQueuePrefix } = gateway;
  const api = await startApi(config, { logger: pino({ level: 'silent' }), taskQueuePrefix });
  const ready = async (url: string) => (await fetch(`${url}/health/ready`)).status;
  const telemetry = `http://127.0.0.1:${api.metricsPort ?? 0}`;
  expect([await ready(api.url), await ready(telemetry)]).toEqual([200, 200]);

  const begunAt = performance.now();
  const closed = api.close().then(() => performance.now() - begunAt);
  const response = await fetch(`${api.url}/health/ready`);
  expect([response.status, await ready(telemetry)]).toEqual([503, 503]);
  expect(await response.json()).toMatchObject({
    status: 'down',
    checks: { process: 'down', database: 'up' },
  });
  const headers = { authorization: `Bearer ${await gateway.token('operator')}` };
  expect((await fetch(`${api.url}/countries`, { headers })).status).toBe(200);
  expect(await closed).toBeGreaterThanOrEqual(1_990);
  await expect(fetch(`${api.url}/health/live`)).rejects.toThrow('fetch failed');
});
