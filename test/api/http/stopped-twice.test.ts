// An api that is asked to stop more than once, as where a whole group of processes gets the signal and its parent
// passes it on: it still answers whoever comes meanwhile, and says what it has to say (OBS-1, OBS-4).
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { testGateway } from '../../harness/gateway.ts';
import { killProcess, startProcess } from '../../harness/worker-process.ts';
import { eventually } from '../../harness/wait.ts';

const gateway = await testGateway();

test.each([
  { signals: ['SIGTERM'] },
  { signals: ['SIGTERM', 'SIGTERM'] },
  { signals: ['SIGINT', 'SIGINT'] },
] as const)(
  'an api that gets $signals ends as one that was asked once: drained, with 0 (OBS-4)',
  async ({ signals }) => {
    const child = await startProcess(gateway, 'api', {
      env: { AUTH: 'none', DEMO: '1', HOST: '127.0.0.1', PORT: '0', DRAIN_SECONDS: '2' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let log = '';
    child.stdout?.on('data', (data: Buffer) => (log += data.toString()));
    try {
      await eventually(() => expect(log).toContain('api is listening'));
      const [, url = ''] = /"url":"(http:[^"]+)"/.exec(log) ?? [];
      const ended = once(child, 'exit');
      for (const signal of signals) {
        child.kill(signal);
        await delay(100);
      }
      const meanwhile = await fetch(`${url}/health/live`).then(
        ({ status }) => status,
        () => 'not answered',
      );
      expect([meanwhile, ...((await ended) as [number | null, string | null])]).toEqual([200, 0, null]);
    } finally {
      await killProcess(child);
    }
  },
);
