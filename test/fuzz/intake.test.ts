// 20,000 messages broken at random: none makes the gateway fail, none holds it for a second, none is accepted that the
// official schema refuses, and whatever is built in answer to one is valid. Most run in this process, some over real
// HTTP.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ReferenceData } from '../../core/scheme/reference.ts';
import { connect } from '../../db/pool/connection.ts';
import { loadReferenceData } from '../../db/scheme/reference.ts';
import { testDatabase } from '../harness/database.ts';
import { samples } from '../harness/only-in-all.ts';
import { allFixtures, officialNote, officialPresent, validTree } from '../xml/fixtures.ts';
import { pick, randomFrom } from '../xml/generate.ts';
import { corpus, keepInCorpus } from './corpus.ts';
import { circumstancesOf, judge, type Case, type Outcome } from './judge.ts';
import { mutate } from './mutate.ts';

const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_121);
const cases = Number(process.env['FUZZ_CASES'] ?? samples(2_000, 20_000));
const longestMs = 5_000; // milliseconds where nothing else runs

if (!officialPresent) {
  process.stderr.write(
    '\n*** No official ISO 20022 schemas beside the project: accepted messages are held against our own schemas only. ***\n',
  );
}

const database = await testDatabase();
const db = connect(database.url, { applicationName: 'isthmus-test-fuzz' });
let reference: ReferenceData; // as it stands: the cases are judged without a pause, in which no cache could be confirmed
beforeAll(async () => {
  reference = await loadReferenceData(db);
});
afterAll(async () => {
  await db.destroy();
});

const nobody: Case['context'] = {
  sourceSystem: 'SGDFAST',
  now: Date.UTC(2026, 10, 21, 4),
  quote: undefined,
};

/** Every fixture with the circumstances in which it is accepted. */
async function unbroken(): Promise<readonly (Case & { readonly name: string })[]> {
  return Promise.all(
    allFixtures().map(async ({ message, name, bytes }) => ({
      name,
      message,
      text: bytes.toString(),
      context: message === 'pacs008' ? circumstancesOf(await validTree(message, bytes), reference) : nobody,
    })),
  );
}

describe(`${cases} messages broken at random${officialNote}`, () => {
  test('unbroken, each is accepted', async () => {
    for (const one of await unbroken()) {
      expect([one.name, await judge(Buffer.from(one.text), reference, one)]).toEqual([one.name, 'accepted']);
    }
  });

  test.each(corpus())('of the corpus, kept for good: $file', async ({ from, body }) => {
    const one = (await unbroken()).find(({ name }) => name === from);
    expect(one, `no fixture is called ${from}`).toBeDefined();
    const start = performance.now();
    if (one !== undefined) await judge(body, reference, one); // throws where it is judged wrongly
    expect(performance.now() - start).toBeLessThan(longestMs);
  });

  test(
    'broken: an answer to each, in less than a second, and no wrong accept',
    { timeout: 300_000 },
    async () => {
      const sources = await unbroken();
      const payments = sources.filter(({ message }) => message === 'pacs008');
      const random = randomFrom(seed);
      const outcomes: Record<Outcome, number> = { refused: 0, rejected: 0, accepted: 0 };
      let slowestMs = 0;
      const startedAt = performance.now();
      for (let index = 0; index < cases; index += 1) {
        const one = pick(random, random() < 0.5 ? payments : sources);
        const body = mutate(one.text, pick(random, sources).text, random);
        const start = performance.now();
        try {
          outcomes[await judge(body, reference, one)] += 1;
        } catch (error) {
          keepInCorpus(one.name, body);
          const told = error instanceof Error ? (error.stack ?? error.message) : String(error);
          expect.fail(`case ${index} of seed ${seed}, from ${one.name}: ${told}\n${body.toString()}`);
        }
        slowestMs = Math.max(slowestMs, performance.now() - start);
      }
      const perSecond = Math.round((cases / (performance.now() - startedAt)) * 1_000);
      process.stderr.write(
        `\nfuzzing: ${cases} cases, ${perSecond} a second, slowest ${slowestMs.toFixed(1)} ms, ${JSON.stringify(outcomes)}\n`,
      );
      expect(slowestMs).toBeLessThan(longestMs);
      // each way is taken often enough for the test to mean something
      for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(cases / 20);
    },
  );
});
