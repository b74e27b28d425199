// A few hundred broken messages through real HTTP, to a whole gateway: no 5xx, no hang, every answer valid, and
// afterwards the gateway still carries a payment from end to end.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { MessageName } from '../../core/iso20022/messages.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { allFixtures, validTree } from '../xml/fixtures.ts';
import { pick, randomFrom } from '../xml/generate.ts';
import { mutate } from './mutate.ts';
import { samples } from '../harness/only-in-all.ts';

const gateway = await testGateway();
const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_121);
const cases = samples(100, 400);
const atOnce = 4;
const longestMs = 15_000; // a resolution waits for its answer for up to 8 s (RES-1), on a machine that others use

interface Route {
  readonly path: string;
  readonly client: string;
  /** What an answer 200 carries; undefined for JSON. */
  readonly answers: MessageName | undefined;
}

const callback = encodeURIComponent(gateway.sandbox.callbackUrl('SGDFAST'));
const validate: Route = { path: '/iso20022/validate', client: 'SGDFAST', answers: undefined };
const routes: Readonly<Partial<Record<MessageName, Route>>> = {
  pacs008: { path: `/iso20022/pacs008?pacs002Endpoint=${callback}`, client: 'SGDFAST', answers: 'pacs002' },
  acmt023: { path: `/iso20022/acmt023?acmt024Endpoint=${callback}`, client: 'SGDFAST', answers: 'acmt024' },
  pacs002: { path: '/iso20022/pacs002', client: 'THBPPAY', answers: 'pacs002' },
};

/** Of now, and with ids of its own, so that it is no repeat. */
function renewed(text: string): string {
  return text
    .replace(/(<AccptncDtTm>)[^<]*/, `$1${new Date().toISOString()}`)
    .replace(/(<UETR>)[^<]*/, `$1${randomUUID()}`)
    .replace(/(<MsgId>)[^<]*/, `$1M${randomUUID().replaceAll('-', '').slice(0, 30)}`);
}

test(
  `${cases} broken messages over HTTP: an answer to each, none of them 5xx`,
  { timeout: 300_000 },
  async () => {
    const random = randomFrom(seed);
    const fixtures = allFixtures().filter(({ message }) => routes[message] !== undefined);
    const statuses = new Map<number, number>();
    let slowestMs = 0;
    async function one(index: number): Promise<void> {
      const fixture = pick(random, fixtures);
      const body = mutate(renewed(fixture.bytes.toString()), pick(random, fixtures).bytes.toString(), random);
      const { path, client, answers } = (random() < 0.2 ? undefined : routes[fixture.message]) ?? validate;
      const headers = {
        authorization: `Bearer ${await gateway.token(client)}`,
        'content-type': 'application/xml',
      };
      const start = performance.now();
      const response = await fetch(`${gateway.url}${path}`, { method: 'POST', headers, body });
      const text = await response.text();
      slowestMs = Math.max(slowestMs, performance.now() - start);
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      expect(
        response.status,
        `case ${index} of seed ${seed}, ${path}\n${text}\n${body.toString()}`,
      ).toBeLessThan(500);
      if (response.status === 200 && answers !== undefined) await validTree(answers, text);
    }
    const indexes = Array.from({ length: cases }, (_, index) => index).values();
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (const index of indexes) await one(index);
      }),
    );
    process.stderr.write(
      `\nfuzzing over HTTP: ${cases} cases, slowest ${slowestMs.toFixed(0)} ms, ${JSON.stringify([...statuses])}\n`,
    );
    expect(slowestMs).toBeLessThan(longestMs);
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400]));
  },
);

test('every submission that was stored was judged', async () => {
  const waiting = () =>
    gateway.db
      .selectFrom('messages as m')
      .leftJoin('payments as p', 'p.uetr', 'm.subject_id')
      .select('m.message_id')
      .where('m.message_type', '=', 'pacs008')
      .where('m.direction', '=', 'in')
      .where('p.uetr', 'is', null)
      .execute();
  await expect.poll(waiting).toEqual([]);
});

test('afterwards a payment goes from end to end', async () => {
  const evidence = evidenceOf(gateway);
  const message = instruction(await bestQuote(gateway), { ending: endingIn.creditedAtOnce });
  expect((await submit(gateway, message)).report?.status).toBe('ACTC');
  expect((await evidence.arrival(message.uetr, 'source', 'pacs002')).status).toBe('ACCC');
  await evidence.closed(message.uetr);
});
