// A worker lacks a sealing key, so it cannot open a message that another worker sealed. It uses up no attempt,
// records nothing as perhaps sent, holds no place at a gate, and raises an alert that names the key (SEC-3, TIM-3,
// CBK-1, CBK-3).
import { randomBytes } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createDecidePayment } from '../../../activities/payments/decide-payment.ts';
import { createDeliver } from '../../../activities/deliveries/deliver.ts';
import { createForwardPayment } from '../../../activities/payments/forward-payment.ts';
import { openSigner } from '../../../activities/wire/signer.ts';
import { createValidatePayment } from '../../../activities/payments/validate-payment.ts';
import { listAlerts } from '../../../db/records/cases.ts';
import { connect } from '../../../db/pool/connection.ts';
import { beginSealing, seal, vaultPlugin } from '../../../db/keys/vault.ts';
import { instruction, ownExchange } from '../../../fixtures/instruction.ts';
import { reading } from '../../harness/listening.ts';
import { acceptedAgo, dueIn, rewritten } from '../../harness/rewritten.ts';
import { destinationAt, inActivity, workbench } from '../workbench.ts';

const { deps, accepted, databaseUrl, store } = await workbench();
const { db } = deps;
const keys = [{ keyId: 'k1', key: randomBytes(32).toString('base64') }];
const vault = vaultPlugin({ keys, seals: true }, () => undefined);
const opening = connect(databaseUrl, { applicationName: 'isthmus-test', maxConnections: 4, vault });
afterAll(() => opening.destroy());
const withKey = { ...deps, db: opening };

let asked = 0; // how often
const url = await reading((response) => {
  asked += 1;
  response.writeHead(202).end();
});
const nobody = 'http://127.0.0.1:9/';
const goTo = (address: string) => destinationAt(deps, address);

beforeAll(async () => {
  await beginSealing(opening);
  await goTo(url);
});

/** As if a worker that has the key had stored it. */
async function sealed(messageId: string) {
  const { rows } = await sql<{ body: Buffer; type: string; party: string }>`
    select b.body, m.message_type as type, m.party from messages m join message_bodies b using (message_id)
    where message_id = ${messageId}`.execute(db);
  const { body, type, party } = rows[0]!;
  const { bytes, keyId } = seal(opening, [messageId, type, party], body);
  await rewritten(
    db,
    sql`update message_bodies set body = ${bytes}, key_id = ${keyId} where message_id = ${messageId}`,
  );
}

async function sealedDelivery(uetr: string, kind: 'instruction' | 'callback') {
  const { rows } = await sql<{ id: string }>`
    select message_id as id from deliveries where subject_id = ${uetr} and kind = ${kind}`.execute(db);
  await sealed(rows[0]!.id);
}

/** One run of an activity, by how it ended. */
async function run(activity: () => Promise<unknown>): Promise<unknown> {
  try {
    return await inActivity(activity);
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) throw error;
    return `${error.type}, again in ${Number(error.nextRetryDelay)} ms`;
  }
}

const forward = (sent: { uetr: string; deliveryId: string; destinationSystem: string }, by = deps) =>
  run(() => createForwardPayment(by)(sent));

async function recordOf(uetr: string, kind: 'instruction' | 'callback') {
  const { rows } = await sql<{ possiblySent: number; counted: number; ends: readonly string[] }>`
    select possibly_sent as "possiblySent", attempts_since_asked as counted,
      (select array_agg(coalesce(outcome, 'open') || ' ' || coalesce(error_class, '') order by attempt)
        from delivery_attempts a where a.delivery_id = d.delivery_id) as ends
    from deliveries d where subject_id = ${uetr} and kind = ${kind}`.execute(db);
  return rows[0];
}

test('an instruction that does not open here is not sent, and not perhaps sent; a worker that has the key finds its destination unreachable', async () => {
  const payment = await accepted();
  const { uetr } = payment;
  await sealedDelivery(uetr, 'instruction');
  await acceptedAgo(db, uetr, 61_000);
  const before = asked;
  for (const tries of [1, 2]) expect(await forward(payment)).toBe(`KeyMissing, again in ${tries * 1_000} ms`);
  expect(asked).toBe(before);
  expect(await recordOf(uetr, 'instruction')).toMatchObject({
    possiblySent: 0,
    ends: ['NOT_SENT key-missing', 'NOT_SENT key-missing'],
  });
  const decide = () => createDecidePayment(withKey)({ uetr, cause: { by: 'unreachable' } });
  expect(await decide()).toBeNull(); // nobody has tried it yet
  await goTo(nobody);
  expect(await forward(payment, withKey)).toMatch('DestinationDidNotAnswer');
  expect(await decide()).toMatchObject({ status: 'RJCT', reasonCode: 'ED06' });
  await goTo(url);
});

test('a callback keeps its place in the schedule, and goes out by a worker that has the key (CBK-1)', async () => {
  const { uetr } = await accepted({}, url);
  await dueIn(db, [uetr], 0);
  await createDecidePayment(deps)({ uetr, cause: { by: 'deadline' } });
  await sealedDelivery(uetr, 'callback');
  const deliver = async (by: typeof deps) => {
    await sql`update deliveries set next_due_at = now() where subject_id = ${uetr} and kind = 'callback'`.execute(
      db,
    );
    return run(() => createDeliver(by)({ subjectId: uetr }));
  };
  const before = asked;
  for (let tries = 0; tries < 3; tries += 1) expect(await deliver(deps)).toMatch('NotYetDelivered');
  expect(await recordOf(uetr, 'callback')).toMatchObject({ possiblySent: 0, counted: 0 });
  expect(asked).toBe(before);
  expect(await deliver(withKey)).toBeUndefined();
  expect(asked).toBe(before + 1);
});

test('one alert names the worker and the key, while it is open, whatever could not be opened (OBS-6)', async () => {
  const told = async ({ workerId }: typeof deps) => {
    const open = { states: ['open'], kind: 'worker.sealing-key-missing' } as const;
    const { alerts } = await listAlerts(db, open, { limit: 10 });
    return alerts.map(({ detail }) => detail).filter((detail) => JSON.stringify(detail).includes(workerId));
  };
  const alert = { workerId: deps.workerId, keyId: 'k1' };
  expect(await told(deps)).toEqual([alert]); // by all the tries above
  const other = { ...deps, workerId: '00000000-0000-4000-8000-000000000001' };
  const messageId = await store(instruction(ownExchange()));
  await sealed(messageId);
  const judge = () => createValidatePayment(other)({ messageId });
  for (let tries = 0; tries < 2; tries += 1) await expect(judge()).rejects.toThrow('SEALING_KEYS lacks k1');
  expect(await told(other)).toEqual([{ ...alert, workerId: other.workerId }]);
});

test('a worker that has no key to sign by sends nothing unsigned, and uses up nothing for it; an alert names it (CBK-2)', async () => {
  let generation = {};
  const { logger } = deps;
  const signer = await openSigner(db, { rotateAfterDays: 90, reference: () => generation, logger });
  onTestFinished(() => signer.close());
  await sql`alter table delivery_key_secrets rename to hidden`.execute(db);
  onTestFinished(() => void sql`alter table hidden rename to delivery_key_secrets`.execute(db));
  await sql`update delivery_keys set signs_until = statement_timestamp(), withdrawn_at = statement_timestamp()`.execute(
    db,
  );
  generation = {};
  await expect
    .poll(() => {
      try {
        return signer.sign(Buffer.from('x')).keyId;
      } catch {
        return 'none';
      }
    })
    .toBe('none');
  const workerId = '00000000-0000-4000-8000-000000000002';
  const payment = await accepted();
  const before = asked;
  expect(await forward(payment, { ...deps, signer, workerId })).toBe('KeyMissing, again in 1000 ms');
  expect(await recordOf(payment.uetr, 'instruction')).toMatchObject({
    possiblySent: 0,
    ends: ['NOT_SENT key-missing'],
  });
  expect(asked).toBe(before);
  const { alerts } = await listAlerts(
    db,
    { states: ['open'], kind: 'worker.sealing-key-missing' },
    { limit: 10 },
  );
  expect(alerts.map(({ detail }) => detail)).toContainEqual({ workerId });
  expect(await forward(payment)).toEqual({ kind: 'pending' }); // by a worker that signs
});
