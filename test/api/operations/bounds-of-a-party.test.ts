// The load that one party may cause is bounded, and one alert tells when it reaches the bound (OVL-2).
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createQuotas, minutesOfDay } from '../../../api/http/limits/quotas.ts';
import type { RouteDependencies } from '../../../api/dependencies.ts';
import { createOfDay } from '../../../api/payments/of-day.ts';
import { repeatsOf } from '../../../api/payments/repeats.ts';
import { unlimited } from '../../../core/settings/config.ts';
import { connect } from '../../../db/pool/connection.ts';
import { testDatabase } from '../../harness/database.ts';

const database = await testDatabase();
const db = connect(database.url, { applicationName: 'isthmus-test', maxConnections: 4 });
afterAll(() => db.destroy());
const noon = Date.UTC(2026, 5, 1, 12);
let nowMs = noon;
const clock = () => nowMs;
beforeEach(() => {
  nowMs = noon;
});

/** What the routes need of an api; its counters are new. */
const parts = (megabytesPerDay = 0) =>
  ({
    db,
    config: { senderLimits: { ...unlimited.senderLimits, megabytesPerDay } },
    quotas: createQuotas(clock),
    ofDay: createQuotas(clock, minutesOfDay),
  }) as unknown as RouteDependencies;

async function alertsOf(party: string): Promise<readonly string[]> {
  const { rows } = await sql<{ limit: string }>`
    select detail ->> 'limit' as limit from audit_events where kind = 'party.at-limit' and party = ${party}`.execute(
    db,
  );
  return rows.map(({ limit }) => limit);
}

test('repeats beyond those of a minute cause nothing, and one alert; a burst within a second is none (DUP-1, OVL-2)', async () => {
  const mayAsk = repeatsOf(parts(), 'REPEATS');
  const ask = async (times: number) => {
    let caused = 0;
    for (let nth = 0; nth < times; nth += 1) if (await mayAsk()) caused += 1;
    return caused;
  };
  expect(await ask(20)).toBe(10);
  expect(await alertsOf('REPEATS')).toEqual([]);
  for (let second = 1; second <= 5; second += 1) {
    nowMs += 1_000;
    expect(await ask(10)).toBe(10);
  }
  nowMs += 1_000;
  expect(await ask(20)).toBe(0);
  expect(await alertsOf('REPEATS')).toEqual(['repeats']);
});

const lookup = { type: 'acmt023', party: 'LOOKUPS', body: Buffer.from('x') } as const;

test('who looks up names by the thousand without paying is an alert, and is not refused (OVL-2)', async () => {
  const ofDay = createOfDay(parts());
  for (let nth = 1; nth <= 1_000; nth += 1) await ofDay.add(lookup);
  expect(await alertsOf('LOOKUPS')).toEqual([]);
  for (let nth = 1; nth <= 3; nth += 1) await ofDay.add(lookup);
  expect(await alertsOf('LOOKUPS')).toEqual(['lookups']);
  expect(await ofDay.refuse(lookup)).toBeUndefined();
});

test('who pays may look up twenty names for each payment (OVL-2)', async () => {
  const ofDay = createOfDay(parts());
  const party = 'PAYS';
  for (let nth = 1; nth <= 100; nth += 1) await ofDay.add({ ...lookup, type: 'pacs008', party });
  for (let nth = 1; nth <= 2_000; nth += 1) await ofDay.add({ ...lookup, party });
  expect(await alertsOf(party)).toEqual([]);
  await ofDay.add({ ...lookup, party });
  expect(await alertsOf(party)).toEqual(['lookups']);
});

test('bytes are counted until midnight UTC, of each party by itself (OVL-2)', async () => {
  const ofDay = createOfDay(parts(1));
  const message = { type: 'pacs008', party: 'BYTES', body: Buffer.alloc(250_000) } as const;
  for (let nth = 1; nth <= 4; nth += 1) {
    expect(await ofDay.refuse(message)).toBeUndefined();
    await ofDay.add(message);
  }
  const twelveHours = String(12 * 3_600);
  expect(await ofDay.refuse(message)).toMatchObject({
    code: 'too-many-bytes',
    headers: { 'retry-after': twelveHours },
  });
  expect(await ofDay.refuse({ ...message, party: 'ANOTHER' })).toBeUndefined();
  expect(await alertsOf('BYTES')).toEqual(['stored-bytes']);
  nowMs += 12 * 3_600_000;
  expect(await ofDay.refuse(message)).toBeUndefined();
});
