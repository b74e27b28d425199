// A demo that starts on other ports takes its callbacks along: whoever listens on the old port by now is told nothing.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { nameCallbackAddress } from '../../../db/payments/asks.ts';
import { moveCallbacks } from '../../../db/deliveries/move-callbacks.ts';
import { workbench } from '../../activities/workbench.ts';

const { deps, databaseUrl, accepted } = await workbench();
const { db } = deps;
const old = 'http://127.0.0.1:9101';
const later = 'http://127.0.0.1:9201';
const move = (from = 9101, to = 9201) => moveCallbacks(databaseUrl, { from, to });

/** Where a callback that is written now would go. */
async function addressOf(messageId: string): Promise<string | undefined> {
  const asked = sql<{ url: string }>`select callback_address(${messageId}::uuid) as url`;
  const { rows } = await asked.execute(db);
  return rows[0]?.url;
}

async function delivery(
  messageId: string,
  kind: 'callback' | 'confirmation',
  values: { readonly url: string; readonly isTaken?: boolean },
): Promise<() => Promise<string | null>> {
  const deliveryId = randomUUID();
  await db
    .insertInto('deliveries')
    .values({
      delivery_id: deliveryId,
      subject_id: randomUUID(),
      begun_at: new Date(),
      kind,
      message_id: messageId,
      party: 'SGDFAST',
      url: values.url,
      ...(values.isTaken === true && { delivered_at: sql<Date>`now()` }),
    })
    .execute();
  return async () => {
    const found = db.selectFrom('deliveries').select('url').where('delivery_id', '=', deliveryId);
    return (await found.executeTakeFirstOrThrow()).url;
  };
}

test('the callback of a payment that is open goes to the new address, as often as a demo moves, and back (DUP-1)', async () => {
  const { messageId } = await accepted({}, `${old}/callbacks/SGDFAST/pacs002?a=1`);
  await move();
  expect(await addressOf(messageId)).toBe(`${later}/callbacks/SGDFAST/pacs002?a=1`);
  await move(9201, 9301);
  await move(9301, 9101);
  expect(await addressOf(messageId)).toBe(`${old}/callbacks/SGDFAST/pacs002?a=1`);
});

test('a source that named localhost hears at the new port too, what is written and what will be (DUP-1)', async () => {
  const { messageId } = await accepted({}, 'http://localhost:9101/callbacks/c');
  const written = await delivery(messageId, 'callback', { url: 'http://localhost:9101/callbacks/c' });
  expect(await move()).toBe(1);
  const there = 'http://localhost:9201/callbacks/c';
  expect([await addressOf(messageId), await written()]).toEqual([there, there]);
});

test('the address that its source named last is what moves, and an address elsewhere stays (DUP-1)', async () => {
  const submission = await accepted({}, 'http://127.0.0.1:7000/elsewhere');
  const named = { ...submission, subjectId: submission.uetr };
  await nameCallbackAddress(db, { ...named, url: `${old}/callbacks/named-later` });
  await move();
  expect(await addressOf(submission.messageId)).toBe(`${later}/callbacks/named-later`);
  const other = await accepted({}, `${old}/callbacks/first`);
  await nameCallbackAddress(db, { ...other, subjectId: other.uetr, url: 'http://127.0.0.1:7000/last' });
  await move();
  expect(await addressOf(other.messageId)).toBe('http://127.0.0.1:7000/last');
});

test('callbacks that are written move, those that were taken too, for an operator may send them again; only what nobody has taken is counted (CBK-1)', async () => {
  const { messageId } = await accepted({}, `${old}/callbacks/c`);
  const open = await delivery(messageId, 'callback', { url: `${old}/callbacks/open` });
  const taken = await delivery(messageId, 'callback', { url: `${old}/callbacks/taken`, isTaken: true });
  expect(await move()).toBe(1);
  expect([await open(), await taken()]).toEqual([`${later}/callbacks/open`, `${later}/callbacks/taken`]);
  expect(await move()).toBe(0);
});

test('what only begins like the old address stays, and so does what is no callback', async () => {
  const { messageId } = await accepted({}, `${old}0/callbacks/c`);
  const alike = await delivery(messageId, 'callback', { url: `${old}0/callbacks/c` });
  const confirmation = await delivery(messageId, 'confirmation', { url: `${old}/confirmation` });
  expect(await move()).toBe(0);
  expect(await addressOf(messageId)).toBe(`${old}0/callbacks/c`);
  expect([await alike(), await confirmation()]).toEqual([`${old}0/callbacks/c`, `${old}/confirmation`]);
});

test('a path of somebody’s own at that port stays: they may listen there by now (DUP-1)', async () => {
  const { messageId } = await accepted({}, `${old}/mine`);
  const own = await delivery(messageId, 'callback', { url: `${old}/mine` });
  expect(await move()).toBe(0);
  expect([await addressOf(messageId), await own()]).toEqual([`${old}/mine`, `${old}/mine`]);
});
