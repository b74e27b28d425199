// A payment system that posts worthless reports by the thousand does not flood the record (PAY-8, SEC-7).
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { refuseMessage } from '../../../db/records/refused-messages.ts';
import { workbench } from '../../activities/workbench.ts';
import { rewritten } from '../../harness/rewritten.ts';

const { deps, accepted } = await workbench();
const { db } = deps;

const unknown = (party: string, reported: string | null = 'ACCC') =>
  refuseMessage(db, 'report.unknown-payment', {
    subjectId: randomUUID(),
    party,
    inReplyTo: null,
    body: Buffer.from('<Document/>'),
    fault: { reported },
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
  await rewritten(db, sql`update audit_events set occurred_at = occurred_at - interval '1 minute'`);
  await unknown('MYRRPP');
  expect(await numberOf('MYRRPP')).toBe(61);
});

test('what states no final status leaves room for what says how a payment ended, and the other way round (PAY-8)', async () => {
  for (let sent = 0; sent < 40; sent += 1) {
    await unknown('CNYFPS', 'ACWP');
    await unknown('CNYFPS', null);
  }
  expect(await numberOf('CNYFPS')).toBe(60);
  for (const reported of ['ACCC', 'RJCT']) await unknown('CNYFPS', reported);
  expect(await numberOf('CNYFPS')).toBe(62);
  for (let sent = 0; sent < 60; sent += 1) await unknown('EURTIPS', 'RJCT');
  await unknown('EURTIPS', 'ACWP');
  expect(await numberOf('EURTIPS')).toBe(61);
});

test('of a payment the first that states each final status is always on record, with its bytes (PAY-8)', async () => {
  const report = (
    reported: string,
    subjectId: string,
    kind: 'report.original-ids-differ' | 'report.invalid',
  ) =>
    refuseMessage(db, kind, {
      subjectId,
      party: 'SGDFAST',
      inReplyTo: null,
      body: Buffer.from(`<Document>${reported} ${randomUUID()}</Document>`),
      fault: { reported },
    });
  const told = async (subjectId: string) => {
    const { rows } = await sql<{ reported: string; events: number; kept: number }>`
      select reported, sum(event)::int as events, sum(kept)::int as kept from (
        select detail ->> 'reported' as reported, 1 as event, 0 as kept from audit_events where subject_id = ${subjectId}::uuid
        union all
        select fault ->> 'reported', 0, 1 from refused_messages where subject_id = ${subjectId}::uuid) found
      where reported in ('ACCC', 'RJCT') group by 1 order by 1`.execute(db);
    return rows;
  };
  const both = [
    { reported: 'ACCC', events: 1, kept: 1 },
    { reported: 'RJCT', events: 1, kept: 1 },
  ];
  const { uetr: paid } = await accepted();
  for (let sent = 0; sent < 60; sent += 1) await report('ACWP', paid, 'report.original-ids-differ');
  for (const status of ['ACCC', 'RJCT']) await report(status, paid, 'report.original-ids-differ');
  expect(await told(paid)).toEqual(both);
  const { uetr: other } = await accepted();
  for (let sent = 0; sent < 150; sent += 1) await report(fourLetters(sent), other, 'report.invalid');
  for (const status of ['ACCC', 'RJCT', 'ACCC']) await report(status, other, 'report.invalid');
  expect(await told(other)).toEqual(both);
  const { rows } = await sql<{ number: number }>`
    select count(*)::int as number from audit_events where subject_id = ${other}::uuid`.execute(db);
  expect(rows[0]?.number).toBe(102); // 100 of any detail, and these two
});

/** AAAA, AAAB, ... */
const fourLetters = (n: number) =>
  [17_576, 676, 26, 1].map((place) => String.fromCharCode(65 + (Math.floor(n / place) % 26))).join('');
