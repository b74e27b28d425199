// A payment system that posts worthless reports by the thousand fills neither the record nor the log: its first ones of
// a minute are security events, each of them has its line in the log of requests, and no alert waits behind them (PAY-8,
// SEC-7, OBS-1).
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { findUnloggedAlerts } from '../../db/cases.ts';
import { refuseMessage } from '../../db/refused-messages.ts';
import { recordAudit } from '../../db/audit.ts';
import { workbench } from '../activities/workbench.ts';

const { deps } = await workbench();
const { db } = deps;

const unknown = (party: string, subjectId: string = randomUUID()) =>
  refuseMessage(db, 'report.unknown-payment', {
    subjectId,
    party,
    inReplyTo: null,
    body: Buffer.from('<Document/>'),
    fault: { reported: 'ACCC' },
  });
const numberOf = async (party: string) => {
  const { rows } = await sql<{ number: number }>`
    select count(*)::int as number from audit_events where party = ${party} and kind = 'report.unknown-payment'`.execute(
    db,
  );
  return rows[0]?.number;
};

test('of one party 60 of a kind are on record in a minute, and of another as many (PAY-8)', async () => {
  for (let sent = 0; sent < 70; sent += 1) await unknown('MYRRPP');
  await unknown('THBPPAY');
  expect([await numberOf('MYRRPP'), await numberOf('THBPPAY')]).toEqual([60, 1]);
  await sql`update audit_events set occurred_at = occurred_at - interval '1 minute'`.execute(db);
  await unknown('MYRRPP');
  expect(await numberOf('MYRRPP')).toBe(61);
});

test('an alert is logged before all security events (OBS-1)', async () => {
  await recordAudit(db, { kind: 'payment.in-doubt', subjectId: randomUUID(), party: 'THBPPAY' });
  const [first, ...others] = await findUnloggedAlerts(db);
  expect(first).toMatchObject({ kind: 'payment.in-doubt' });
  expect(others.length).toBeGreaterThan(50);
});
