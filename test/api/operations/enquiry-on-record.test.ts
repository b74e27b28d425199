// An operator asks how a payment stands, and the database fails between what is asked and who asked it: the two are on
// record together or not at all (DUP-1, CBK-1).
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { silentDestination } from '../../harness/destination.ts';
import { testGateway } from '../../harness/gateway.ts';
import { instruction } from '../../../fixtures/instruction.ts';
import { jsonRoutes } from '../../harness/json-routes.ts';
import { bestQuote, submit } from '../../harness/payer.ts';
import { eventually } from '../../harness/wait.ts';

const malaysia = await silentDestination();
const gateway = await testGateway({ prepare: (db) => malaysia.register(db, 'IPSO-MY') });
const { db } = gateway;

const ask = await jsonRoutes(gateway);
const enquire = async (uetr: string) => (await ask('POST', `/payments/${uetr}/enquiries`, {})).status;

test('an enquiry that an operator asked for is on record with who asked (DUP-1, CBK-1)', async () => {
  const toMalaysia = { destination: 'MY', destinationCurrency: 'MYR' };
  const message = instruction(await bestQuote(gateway, toMalaysia), { priority: 'NORM' });
  await submit(gateway, message);
  await sql`create function fail_audit() returns trigger language plpgsql as $$
    begin raise exception 'away' using errcode = '57P01'; end $$`.execute(db);
  await sql`create trigger fail_audit before insert on audit_events for each row
    when (new.kind = 'operator.enquiry') execute function fail_audit()`.execute(db);
  expect(await enquire(message.uetr)).toBeGreaterThanOrEqual(500);
  await sql`drop trigger fail_audit on audit_events`.execute(db);
  expect(await enquire(message.uetr)).toBe(200); // as anybody does who was answered 503

  await eventually(async () => {
    const { rows } = await sql`
      select (select count(*)::int from deliveries where subject_id = ${message.uetr} and kind = 'instruction'
          and enquiry_asked_at is not null) as asked,
        (select least(1, count(*))::int from audit_events where subject_id = ${message.uetr}
          and kind = 'operator.enquiry') as told`.execute(db);
    expect(rows).toEqual([{ asked: 1, told: 1 }]);
  });
});
