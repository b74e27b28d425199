// Receivers that are down, hang, or change their address while a delivery waits. Each delivery ends delivered or as
// a dead letter.
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { reading } from '../harness/listening.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { eventually } from '../harness/wait.ts';

interface Receiver {
  readonly url: string;
  /** Bodies, oldest first. */
  readonly bodies: string[];
}

/** A receiver of messages that answers as it is told, after it has read. */
async function receiver(
  answer: (response: ServerResponse, nth: number, body: string) => void,
): Promise<Receiver> {
  const bodies: string[] = [];
  const url = await reading((response, bytes) => {
    const body = bytes.toString();
    bodies.push(body);
    answer(response, bodies.length, body);
  });
  return { url, bodies };
}

/** How often each message was seen, by its UETR; with or without hyphens. */
function timesSeen(bodies: readonly string[], uetr: string): number {
  const bare = uetr.replaceAll('-', '');
  return bodies.filter((body) => body.includes(uetr) || body.includes(bare)).length;
}

const lateMs = 300;
const failures = 2;

/** 503 after 300 ms for the first two times that it sees a message, then 200. */
function lateAndFailing(): Promise<Receiver> {
  const seen = new Map<string, number>();
  return receiver((response, _, body) => {
    const times = (seen.get(body) ?? 0) + 1;
    seen.set(body, times);
    setTimeout(() => response.writeHead(times > failures ? 200 : 503).end(), lateMs);
  });
}

const callback = await lateAndFailing();
const fxp = await lateAndFailing();
const gateway = await testGateway({
  maxExecutionSeconds: 3,
  prepare: async (db) => {
    await db
      .updateTable('fxp_endpoints')
      .set({ notification_url: `${fxp.url}/fxtr017` })
      .execute();
  },
});
const evidence = evidenceOf(gateway);

const openDeliveries = async (uetr: string) => {
  const rows = await gateway.db
    .selectFrom('deliveries')
    .select('kind')
    .where('subject_id', '=', uetr)
    .where('kind', '<>', 'instruction')
    .where('delivered_at', 'is', null)
    .execute();
  return rows.map(({ kind }) => kind);
};

test('callback and FX provider fail side by side, late: both are told in the end, and no execution fails (I-17)', async () => {
  const messages = await Promise.all(
    Array.from({ length: 4 }, async () => instruction(await bestQuote(gateway))),
  );
  await Promise.all(
    messages.map((message) => submit(gateway, message, { callbackUrl: `${callback.url}/pacs002` })),
  );
  for (const { uetr } of messages) {
    await eventually(() => {
      expect(timesSeen(callback.bodies, uetr)).toBeGreaterThan(failures);
      expect(timesSeen(fxp.bodies, uetr)).toBeGreaterThan(failures);
    });
    await evidence.closed(uetr);
    expect(await openDeliveries(uetr)).toEqual([]);
  }
});

test('a RJCT AB03 reaches the source and the destination, though both fail at first (TIM-1, I-3)', async () => {
  gateway.sandbox.destination.refuse({ status: 503, times: 1, pathPrefix: '/IPSO-TH/iso20022/pacs002' });
  const message = instruction(await bestQuote(gateway), { ending: endingIn.silent, priority: 'HIGH' });
  await submit(gateway, message, { callbackUrl: `${callback.url}/pacs002` });
  await eventually(() => expect(timesSeen(callback.bodies, message.uetr)).toBe(failures + 1));
  expect((await evidence.arrival(message.uetr, 'destination', 'pacs002')).status).toBe('RJCT');
  await evidence.closed(message.uetr);
  expect(await openDeliveries(message.uetr)).toEqual([]);
});

test('a callback that hangs delays no repeat of the notification beside it (CBK-3)', async () => {
  const hanging = await receiver((response, nth) => {
    if (nth > 1) response.writeHead(200).end();
  });
  const message = instruction(await bestQuote(gateway));
  await submit(gateway, message, { callbackUrl: `${hanging.url}/pacs002` });
  // 0, 1 and 2 s after; the callback's first attempt takes 5 s
  await eventually(() => expect(timesSeen(fxp.bodies, message.uetr)).toBe(failures + 1), { everyMs: 20 });
  expect(timesSeen(hanging.bodies, message.uetr)).toBe(1);
  await evidence.closed(message.uetr);
});

test('an FX provider changes its address while its notification waits: the next attempt goes to the new one (CBK-5)', async () => {
  const old = await receiver((response) => response.writeHead(503).end());
  const renewed = await receiver((response) => response.writeHead(200).end());
  const move = (url: string) =>
    gateway.db
      .updateTable('fxp_endpoints')
      .set({ notification_url: `${url}/fxtr017` })
      .execute();
  await move(old.url);
  const message = instruction(await bestQuote(gateway), { ending: endingIn.creditedLater });
  await submit(gateway, message);
  await eventually(() => expect(timesSeen(old.bodies, message.uetr)).toBe(1));
  await move(renewed.url);
  await eventually(() => expect(timesSeen(renewed.bodies, message.uetr)).toBe(1));
  await evidence.closed(message.uetr);
  await move(fxp.url);
});

test('the same message from another registered address: the final goes there from then on (DUP-1)', async () => {
  const first = await receiver((response) => response.writeHead(200).end());
  const second = await receiver((response) => response.writeHead(200).end());
  const message = instruction(await bestQuote(gateway), { ending: endingIn.interim }); // ACCC after 2 s
  await submit(gateway, message, { callbackUrl: `${first.url}/pacs002` });
  await submit(gateway, message, { callbackUrl: `${second.url}/pacs002` });
  await eventually(() => expect(second.bodies).toHaveLength(1));
  await evidence.closed(message.uetr);
  expect(first.bodies).toEqual([]);
  await submit(gateway, message, { callbackUrl: `${first.url}/other` });
  await eventually(() => expect(first.bodies).toEqual(second.bodies));
});

test('a source that asks again is told at once, though its callback sleeps in its back-off (DUP-1)', async () => {
  let isDown = true;
  const source = await receiver((response) =>
    response.writeHead(isDown ? 503 : 200, { 'retry-after': '3600' }).end(),
  );
  const message = instruction(await bestQuote(gateway));
  const again = () => submit(gateway, message, { callbackUrl: `${source.url}/pacs002` });
  await again();
  await eventually(() => expect(source.bodies).toHaveLength(1));
  await again(); // a redelivery, which is told to come back in an hour
  await eventually(() => expect(source.bodies).toHaveLength(2));
  isDown = false;
  const askUntilTold = async () => {
    await again(); // joins the last one within 5 s of it
    expect(source.bodies).toHaveLength(3);
  };
  await eventually(askUntilTold, { everyMs: 1_000 });
  await eventually(async () => expect(await openDeliveries(message.uetr)).not.toContain('callback'));
});
