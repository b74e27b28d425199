// What this machine is short of ends nothing, and uses up no attempt (TIM-3): where it lasts, a person is told, for nothing
// else would ever say so (OBS-6). Here no process that speaks to a broker can be started.
import { afterAll, afterEach, expect, test } from 'vitest';
import { createOutbound } from '../../../activities/wire/outbound.ts';
import { tellOfLacks } from '../../../activities/upkeep/watch-lacks.ts';
import { listAlerts } from '../../../db/records/cases.ts';
import { broker } from '../wire/broker.ts';
import { post } from '../wire/receivers.ts';
import { workbench } from '../workbench.ts';

const { deps } = await workbench();
const minute = 60_000;
let now = 0;
const http = createOutbound({
  allowLoopback: true,
  now: () => now,
  headersTimeoutMs: 20_000, // a busy machine takes seconds to start a process
  totalTimeoutMs: 40_000,
});
afterAll(() => http.close());
const node = process.execPath;
afterEach(() => void (process.execPath = node));

async function alerts() {
  await tellOfLacks({ ...deps, outbound: http });
  const open = { states: ['open'], kind: 'worker.own-resources' } as const;
  const page = await listAlerts(deps.db, open, { limit: 10 });
  return page.alerts.map(({ severity, detail }) => ({ severity, detail }));
}

test('where nothing is sent to a receiver for ten minutes for a lack of our own, there is one alert that names it, while it is open (TIM-3, OBS-6)', async () => {
  const { url, host } = await broker();
  const lack = { outcome: 'NOT_SENT', errorClass: 'own-resources' };
  process.execPath = '/nowhere/node';
  for (let tries = 0; tries < 5; tries += 1) {
    expect(await post(http, `${url}trades`)).toEqual(lack);
    now += 2 * minute;
  }
  expect(await alerts()).toEqual([]); // the last of them came after eight minutes
  expect(await post(http, `${url}trades`)).toEqual(lack);
  const alert = { severity: 'alert', detail: { receiver: `amqp://${host}` } };
  expect(await alerts()).toEqual([alert]);
  expect(await alerts()).toEqual([alert]);
  process.execPath = node;
  expect(await post(http, `${url}trades`)).toMatchObject({ status: 200 });
  expect(http.lastingLacks()).toEqual([]);
});

test('two lacks with nothing between them are not one that lasts (TIM-3, OBS-6)', async () => {
  const { url } = await broker();
  process.execPath = '/nowhere/node';
  await post(http, `${url}trades`);
  now += 11 * minute; // nobody sent anything
  await post(http, `${url}trades`);
  expect(http.lastingLacks()).toEqual([]);
});

test('where one lack keeps us from many receivers, there is one alert for all of them (TIM-3, OBS-6)', async () => {
  const urls = (await Promise.all([broker(), broker(), broker(), broker()])).map(({ url }) => `${url}trades`);
  process.execPath = '/nowhere/node';
  for (const atMinute of [0, 5, 10]) {
    await Promise.all(urls.map((url) => post(http, url)));
    now += atMinute < 10 ? 5 * minute : 0;
  }
  expect(http.lastingLacks()).toHaveLength(4);
  expect(await alerts()).toContainEqual({ severity: 'alert', detail: { receiver: 'several' } });
  expect(await alerts()).toHaveLength(2); // with the one of the first test
});
