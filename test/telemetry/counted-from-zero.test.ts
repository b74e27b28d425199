// What may come all at once and never again is seen by `increase`: its series begins with 0 (OBS-2).
import { expect, onTestFinished, test, vi } from 'vitest';
import { createApiMetrics } from '../../telemetry/api-metrics.ts';

const nothing = { payments: [], deliveries: [], alerts: [], keys: [] };

test('a burst that makes its series is shown as 0 for 20 s, to all who scrape meanwhile, and whole after that', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const metrics = createApiMetrics(() => Promise.resolve(nothing), {});
  const scrape = async () => {
    const text = await metrics.registry.metrics();
    return [...text.matchAll(/^(?:isthmus_logins_failed|isthmus_signatures_refused)_total\{.*$/gm)].map(
      ([line]) => line.replace(/^isthmus_(\w+)_total/, '$1'),
    );
  };
  expect(await scrape()).toEqual([]);
  for (let times = 0; times < 25; times += 1) metrics.failedLogin('LOTUSGS0');
  metrics.refusedSignature('SGDFAST');
  vi.advanceTimersByTime(60_000); // nobody scrapes
  const zero = ['signatures_refused{party="SGDFAST"} 0', 'logins_failed{client="LOTUSGS0"} 0'];
  expect(await scrape()).toEqual(zero);
  expect(await scrape()).toEqual(zero);
  metrics.failedLogin('LOTUSGS0');
  vi.advanceTimersByTime(15_000);
  metrics.failedLogin('MERISGS0');
  expect(await scrape()).toEqual([...zero, 'logins_failed{client="MERISGS0"} 0']);
  vi.advanceTimersByTime(15_000);
  expect(await scrape()).toEqual([
    'signatures_refused{party="SGDFAST"} 1',
    'logins_failed{client="LOTUSGS0"} 26',
    'logins_failed{client="MERISGS0"} 0',
  ]);
  metrics.failedLogin('LOTUSGS0');
  vi.advanceTimersByTime(15_000);
  expect(await scrape()).toEqual([
    'signatures_refused{party="SGDFAST"} 1',
    'logins_failed{client="LOTUSGS0"} 27',
    'logins_failed{client="MERISGS0"} 1',
  ]);
});
