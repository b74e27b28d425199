// Plays every story of the chaos load without faults. The answer to each must be the one that the story expects.
import { CompiledQuery } from 'kysely';
import { expect, test } from 'vitest';
import type { Exchange } from '../../chaos/oracle/evidence.ts';
import { openLoad } from '../../chaos/load/load.ts';
import { createRandom } from '../../chaos/load/random.ts';
import { makeOlder } from '../../chaos/system/ageing.ts';
import { stories } from '../../chaos/load/stories/all.ts';
import { testGateway } from '../harness/gateway.ts';
import { quietPort } from '../harness/quiet-port.ts';

const gateway = await testGateway({
  prepare: async (db) => {
    await db.updateTable('clearing_systems').set({ max_resolution_seconds: 5 }).execute();
  },
});

const canaries = ['KANARI7f3a91', 'CANARY-b20c4e'];

/** A load on the one gateway, under two names, that keeps its evidence. */
function loadOf(seed: number, pace: number, urls: readonly string[] = [gateway.url, gateway.url]) {
  const exchanges: Exchange[] = [];
  const load = openLoad({
    apis: urls.map((url, index) => ({ name: `api-${index + 1}`, url })),
    random: createRandom(seed),
    ratePerSecond: 10,
    callbackUrl: (clearingSystemId, message, which) => {
      const url = gateway.sandbox.callbackUrl(clearingSystemId, message);
      return which === 'usual' ? url : url.replace('127.0.0.1', 'localhost');
    },
    ageQuote: makeOlder(async (text, values) => {
      const { rows } = await gateway.db.executeQuery(CompiledQuery.raw(text, values));
      return rows;
    }),
    canaries,
    record: (exchange) => exchanges.push(exchange),
    pace,
  });
  return { load, exchanges };
}

const codeIn = (text = '') => /<Rsn><Cd>(\w+)</.exec(text)?.[1];
const isRefusal = (text = '') => /<TxSts>RJCT<|<Vrfctn>false</.test(text);

/** How an answer differs from the expected one; undefined: it agrees. */
function contradictionIn(exchange: Exchange): string | undefined {
  const { expected, status, responseBody } = exchange;
  if (expected === undefined || !isJudgement(exchange)) return undefined;
  const [code, refused] = [codeIn(responseBody), isRefusal(responseBody)];
  const agrees =
    expected.verdict === 'refused'
      ? status === expected.status
      : status === 200 &&
        (expected.verdict === 'rejected'
          ? refused && code === expected.code
          : expected.verdict === 'answered' || !refused || (expected.orCodes ?? []).includes(code ?? ''));
  if (agrees) return undefined;
  const answered = `${status ?? ''} ${code ?? ''} ${responseBody?.slice(0, 400) ?? ''} ${exchange.headers?.['isthmus-rejection'] ?? ''}`;
  return `${exchange.purpose}: expected ${JSON.stringify(expected)}, was ${answered}`;
}

/** Beside other tests a request may be refused for a while. */
const isJudgement = ({ status }: Exchange) => status !== undefined && status < 500 && status !== 429;

test('every story, played without faults, is answered as it expects', async () => {
  const { load, exchanges } = loadOf(1, 0.02);
  const random = createRandom(10);
  const left = stories.map((story) => ({ story, chance: random.fork() }));
  const lane = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      await load.play(next.story, next.chance);
    }
  };
  await Promise.all(Array.from({ length: 12 }, lane)); // few enough that no clearing system reaches its limit
  await load.stop();
  const { defects, endedEarly, stories: played } = load.stats();
  expect({ defects, endedEarly }).toEqual({ defects: [], endedEarly: {} });
  expect(exchanges.map(contradictionIn).filter((one) => one !== undefined)).toEqual([]);
  expect(Object.keys(played).sort()).toEqual(stories.map(({ name }) => name).sort());
  const expecting = exchanges.filter(({ expected }) => expected !== undefined);
  const judged = new Set(expecting.filter(isJudgement).map(({ purpose }) => purpose.replace(/-again$/, '')));
  const unjudged = expecting.map(({ purpose }) => purpose.replace(/-again$/, ''));
  expect(unjudged.filter((purpose) => !judged.has(purpose))).toEqual([]);
  // late resolutions may also end with AB08
  const resolutions = exchanges.filter(({ purpose }) => purpose === 'resolution');
  const reasons = resolutions.flatMap(({ expected }) =>
    expected?.verdict === 'accepted' ? (expected.orCodes ?? []) : [],
  );
  const said = new Set(resolutions.map(({ responseBody }) => codeIn(responseBody)));
  expect(reasons.filter((code) => !said.has(code))).toEqual([]);
});

test('a load begins stories by itself, stops when told to, and leaves a whole line about every request, without secrets', async () => {
  const { load, exchanges } = loadOf(8, 0.02);
  load.start();
  await expect.poll(() => exchanges.length).toBeGreaterThan(20);
  await load.stop();
  const { inFlight, defects, turnedAway, exchanges: counts } = load.stats();
  expect({ inFlight, defects, turnedAway }).toEqual({ inFlight: 0, defects: [], turnedAway: 0 });
  expect(Object.values(counts).reduce((sum, one) => sum + one, 0)).toBe(exchanges.length);
  for (const { sentAt, endedAt, status, error, responseBody, ...exchange } of exchanges) {
    expect(endedAt >= sentAt).toBe(true);
    expect(error !== undefined || (status !== undefined && responseBody !== undefined)).toBe(true);
    expect(exchange.requestBody !== undefined).toBe(exchange.method === 'POST');
  }
  const told = JSON.stringify(exchanges);
  expect(told).not.toMatch(/bearer|oauth|demo-|eyJ/i);
  for (const canary of canaries) expect(told).toContain(canary);
});

test('a sender without an answer sends the same bytes to the next api, until it has one', async () => {
  const { load, exchanges } = loadOf(3, 0.02, [gateway.url, `http://127.0.0.1:${await quietPort()}`]);
  const random = createRandom(30);
  const payment = stories.find(({ name }) => name === 'own-exchange')!;
  await Promise.all(Array.from({ length: 8 }, () => load.play(payment, random.fork())));
  await load.stop();
  expect(load.stats().defects).toEqual([]);
  const unanswered = exchanges.filter(({ error }) => error === 'refused');
  expect(unanswered.length).toBeGreaterThan(0);
  for (const { api, uetr, requestBody } of unanswered) {
    expect(api).toBe('api-2');
    const same = exchanges.filter((one) => one.uetr === uetr && one.requestBody === requestBody);
    expect(same.at(-1)).toMatchObject({ api: 'api-1', status: 200, purpose: 'payment-again' });
  }
});
