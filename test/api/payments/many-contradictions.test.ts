// A destination contradicts itself all night. The record of the payment stays one bounded answer that says what it
// leaves out (OBS-5, SEC-7). Only its parties read a message (SEC-1).
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { createDecidePayment } from '../../../activities/payments/decide-payment.ts';
import { paymentRoutes } from '../../../api/payments/payments.ts';
import { show } from '../../../cli/ops/commands.ts';
import { serviceLimits } from '../../../db/pool/connection.ts';
import { workbench } from '../../activities/workbench.ts';
import { opsOn } from '../../cli/ops-context.ts';
import { storeReport } from '../../harness/reports.ts';
import { startApi } from '../http/running-api.ts';

const { deps, accepted, databaseUrl } = await workbench();
const { db } = deps;
const api = await startApi(databaseUrl, {
  modules: [paymentRoutes(deps.engine)],
  databaseLimits: { ...serviceLimits, connectMs: 20_000, waitMs: 20_000 }, // a statement that takes seconds fails
});
afterAll(() => api.close());
const { lines, context } = opsOn(api);

interface Shown {
  readonly messages: readonly {
    readonly messageId: string;
    readonly status: string | null;
    readonly sha256: string;
    readonly href: string | null;
    readonly at: string;
  }[];
  readonly messagesLeftOut: readonly unknown[];
  readonly decision: Readonly<Record<string, string | null>>;
  readonly deliveries: readonly {
    readonly kind: string;
    readonly attempts: readonly { readonly attempt: number; readonly outcome: string | null }[];
    readonly attemptsLeftOut: readonly unknown[];
  }[];
}

/** The destination has rejected it, then said that it was credited so many times. */
async function contradicted(times: number): Promise<{ uetr: string; messageId: string; first: string }> {
  const { uetr, messageId } = await accepted();
  await storeReport(db, uetr, { status: 'RJCT', reasonCode: 'AC04' });
  await createDecidePayment(deps)({ uetr, cause: { by: 'record' } });
  const first = await storeReport(db, uetr);
  await sql`
    with told as (
      select gen_random_uuid() as id, n, convert_to(n || ' said', 'utf8') as body from generate_series(1, ${times - 1}::int) n),
    bodies as (insert into message_bodies select id, now() + n * interval '1 ms', body from told)
    insert into messages (message_id, subject_id, message_type, message_identification, direction, leg, party, status, size, sha256, created_at)
    select id, subject_id, message_type, message_identification || n, direction, leg, party, status, length(body), sha256(body), now() + n * interval '1 ms'
    from messages, told where message_id = ${first}`.execute(db);
  return { uetr, messageId, first };
}

async function idsOfParties(uetr: string): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select message_id as id from messages where subject_id = ${uetr} and (direction = 'out' or leg = 'source')`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

test('of the messages of a payment each party’s newest 200 are shown, the first of each kind and status, and all that made the payment what it is; the rest is counted (OBS-5, SEC-7)', async () => {
  const { uetr, messageId, first } = await contradicted(20_000);
  const { status, text, body } = await api.get<Shown>(`/payments/${uetr}`, 'operator');
  expect(status).toBe(200);
  expect(text.length).toBeLessThan(200_000);
  const shown = body.messages.map((one) => one.messageId);
  const { decision } = body;
  const told = ['reportMessageId', 'callbackMessageId', 'confirmationMessageId'].map(
    (name) => decision[name],
  );
  expect(shown).toEqual(
    expect.arrayContaining([messageId, first, ...told, ...(await idsOfParties(uetr))] as string[]),
  );
  // of 20,000 of the same kind and status the newest 200, and the first
  expect(body.messages.filter((one) => one.status === 'ACCC')).toHaveLength(201);
  const leftOut = { direction: 'in', leg: 'destination', party: 'THBPPAY', status: 'ACCC', number: 19_799 };
  expect(body.messagesLeftOut).toEqual([{ message: 'pacs.002.001.15', ...leftOut }]);
  expect(body.messages.map(({ at }) => at)).toEqual(body.messages.map(({ at }) => at).toSorted());
  const theirs = await api.get<Shown>(`/payments/${uetr}`, 'SGDFAST');
  expect(theirs.body.messagesLeftOut).toEqual(body.messagesLeftOut);
  await show(context(), uetr, {});
  expect(lines.filter((line) => line.includes('left out'))).toEqual([
    '  … 19799 more pacs.002.001.15 THBPPAY → us ACCC, between the first and the newest, are left out',
  ]);
});

const clients = ['operator', 'SGDFAST', 'THBPPAY', 'MYRRPP', 'LOTUSGS0', 'LOTUTHS0'];
test('a message is read by those to whom the record shows it as theirs to read, and by nobody else (SEC-1, OBS-5)', async () => {
  const { uetr } = await contradicted(2);
  const { body } = await api.get<Shown>(`/payments/${uetr}`, 'operator');
  let read = 0;
  for (const client of clients) {
    const shown = await api.get<Shown>(`/payments/${uetr}`, client);
    for (const { messageId, sha256 } of body.messages) {
      const own = shown.status === 200 ? shown.body.messages : [];
      const mayRead = own.some((one) => one.messageId === messageId && one.href !== null);
      const got = await api.get(`/payments/${uetr}/messages/${messageId}`, client);
      expect([client, got.status]).toEqual([client, mayRead ? 200 : 404]);
      if (got.status !== 200) continue;
      read += 1;
      expect(createHash('sha256').update(got.text).digest('hex')).toBe(sha256);
    }
  }
  expect(read).toBeGreaterThan(body.messages.length); // operators read all, each side its own
});

test('a destination that no byte has reached reads no message of the payment, nor learns that there is one (SEC-1)', async () => {
  const { uetr } = await accepted();
  const { body } = await api.get<Shown>(`/payments/${uetr}`, 'operator');
  for (const { messageId } of body.messages)
    for (const client of ['THBPPAY', 'LOTUTHS0'])
      expect((await api.get(`/payments/${uetr}/messages/${messageId}`, client)).text).toContain(
        'unknown-payment',
      );
});
