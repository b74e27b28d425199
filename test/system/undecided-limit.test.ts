// A payment system whose payments are not decided makes no more of them without an end (SEC-7): what is on record goes on,
// and others notice nothing.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { instruction } from '../../fixtures/instruction.ts';
import { accountEndingIn, endingIn } from '../../fixtures/endings.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { problemTexts } from '../harness/problem-texts.ts';
import { reportFinal } from '../harness/reports.ts';
import { eventually } from '../harness/wait.ts';

const gateway = await testGateway({ settings: { UNDECIDED_PAYMENTS: '3' } });
const evidence = evidenceOf(gateway);

const waiting = async () =>
  instruction(await bestQuote(gateway), { creditorAccount: { otherId: accountEndingIn(endingIn.silent) } });

const isOnRecord = async (uetr: string) => {
  const { rows } = await sql`select from messages where subject_id = ${uetr}::uuid`.execute(gateway.db);
  return rows.length > 0;
};

test('payments that are decided, and repeats, count no more: nobody is told of payments that do not wait', async () => {
  for (let nth = 1; nth <= 5; nth += 1) {
    const one = instruction(await bestQuote(gateway));
    expect([nth, (await submit(gateway, one)).httpStatus]).toEqual([nth, 200]);
    await evidence.arrival(one.uetr, 'source', 'pacs002', 'ACCC');
  }
  const one = await waiting();
  for (let times = 1; times <= 4; times += 1) expect((await submit(gateway, one)).httpStatus).toBe(200);
  const other = instruction(await bestQuote(gateway));
  expect((await submit(gateway, other)).httpStatus).toBe(200);
  await evidence.arrival(other.uetr, 'source', 'pacs002', 'ACCC');
  expect(await reportFinal(gateway, one.uetr)).toBe(200);
  await evidence.arrival(one.uetr, 'source', 'pacs002');
});

test('of many at once no more are taken than there may be', async () => {
  const messages = await Promise.all(Array.from({ length: 12 }, waiting));
  const answers = await Promise.all(messages.map((one) => submit(gateway, one)));
  const taken = messages.filter((_, nth) => answers[nth]?.httpStatus === 200);
  expect(taken).toHaveLength(3);
  for (const { uetr } of taken) {
    expect(await reportFinal(gateway, uetr)).toBe(200);
    await evidence.arrival(uetr, 'source', 'pacs002');
  }
});

test('the one too many is not stored and is told to come again, and operators are told (OVL-2); once others are decided, it is taken', async () => {
  const three = [await waiting(), await waiting(), await waiting()];
  for (const one of three) expect((await submit(gateway, one)).report?.status).toBe('ACTC');
  const fourth = await waiting();
  const refused = await submit(gateway, fourth);
  expect(refused.httpStatus).toBe(429);
  expect(JSON.parse(refused.text)).toMatchObject({
    code: 'too-many-undecided',
    ruleId: 'SEC-7',
    detail: problemTexts['too-many-undecided'].told,
  });
  expect(refused.headers.get('retry-after')).toBe('10');
  expect(await isOnRecord(fourth.uetr)).toBe(false);
  const { rows: alerts } = await sql`
    select party, detail from audit_events where kind = 'party.at-limit'`.execute(gateway.db);
  expect(alerts).toEqual([{ party: 'SGDFAST', detail: { limit: 'undecided-payments' } }]);

  // an enquiry about what is on record is answered (DUP-1)
  const [first] = three;
  expect((await submit(gateway, first ?? fourth)).report?.status).toBe('ACTC');

  // another payment system is not concerned
  const other = await gateway.token('THBPPAY');
  const asked = await fetch(
    `${gateway.url}/iso20022/pacs008?pacs002Endpoint=${encodeURIComponent(gateway.sandbox.callbackUrl('THBPPAY'))}`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${other}`, 'content-type': 'application/xml' },
      body: '<x/>',
    },
  );
  expect(asked.status).toBe(400);

  // one of them is decided, as its destination reports
  expect(await reportFinal(gateway, first?.uetr ?? '')).toBe(200);
  await evidence.arrival(first?.uetr ?? '', 'source', 'pacs002');
  await eventually(
    async () => {
      const { httpStatus } = await submit(gateway, fourth);
      expect(httpStatus).toBe(200);
    },
    { everyMs: 500 },
  );
});
