// A lasting shortage of resources on this machine raises an alert (TIM-3, OBS-6).
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
