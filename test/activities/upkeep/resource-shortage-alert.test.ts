// What this machine is short of ends nothing, and uses up no attempt (TIM-3): where it lasts, a person is told, for nothing
// else would ever say so (OBS-6).
import { expect, test } from 'vitest';
import { createOwnLacks } from '../../../activities/wire/own-lacks.ts';
import { tellOfLacks } from '../../../activities/upkeep/watch-lacks.ts';
import { listAlerts } from '../../../db/records/cases.ts';
import { workbench } from '../workbench.ts';

const { deps } = await workbench();
const minute = 60_000;
let now = 0;
const lack = { outcome: 'NOT_SENT', errorClass: 'own-resources' } as const;
const taken = {
  outcome: 'ANSWERED',
  status: 200,
  body: Buffer.alloc(0),
  truncated: false,
  retryAfterMs: null,
} as const;
const lacks = createOwnLacks(() => now);
const path = '/iso20022/pacs008';

async function alerts() {
  await tellOfLacks({ ...deps, outbound: { ...deps.outbound, lastingLacks: lacks.lasting } });
  const open = { states: ['open'], kind: 'worker.own-resources' } as const;
  const page = await listAlerts(deps.db, open, { limit: 10 });
  return page.alerts.map(({ severity, detail }) => ({ severity, detail }));
}

test('where nothing is sent to a receiver for ten minutes for a lack of our own, there is one alert that names it, while it is open (TIM-3, OBS-6)', async () => {
  const receiver = 'https://one.example';
  for (let tries = 0; tries < 5; tries += 1) {
    lacks.heed(receiver + path, lack);
    now += 2 * minute;
  }
  expect(await alerts()).toEqual([]); // the last of them came after eight minutes
  lacks.heed(receiver + path, lack);
  const alert = { severity: 'alert', detail: { receiver } };
  expect(await alerts()).toEqual([alert]);
  expect(await alerts()).toEqual([alert]);
  lacks.heed(receiver + path, taken);
  expect(lacks.lasting()).toEqual([]);
});

test('two lacks with nothing between them are not one that lasts (TIM-3, OBS-6)', () => {
  lacks.heed(`https://two.example${path}`, lack);
  now += 11 * minute; // nobody sent anything
  lacks.heed(`https://two.example${path}`, lack);
  expect(lacks.lasting()).toEqual([]);
});

test('where one lack keeps us from many receivers, there is one alert for all of them (TIM-3, OBS-6)', async () => {
  const urls = ['a', 'b', 'c', 'd'].map((name) => `https://${name}.example${path}`);
  for (const atMinute of [0, 5, 10]) {
    for (const url of urls) lacks.heed(url, lack);
    now += atMinute < 10 ? 5 * minute : 0;
  }
  expect(lacks.lasting()).toHaveLength(4);
  expect(await alerts()).toContainEqual({ severity: 'alert', detail: { receiver: 'several' } });
  expect(await alerts()).toHaveLength(2); // with the one of the first test
});
