// One operator sends while Temporal is slow. The number of its messages under way is bounded, however slow Temporal
// is.
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { buildPacs008, type OriginalPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submitXml, type Submitted } from '../harness/payer.ts';
import type { Problem } from '../../fixtures/bodies.ts';
import { eventually } from '../harness/wait.ts';

const gateway = await testGateway({ worker: false }); // nothing is judged

async function storedSubmissions(): Promise<number> {
  const { count } = await gateway.db
    .selectFrom('messages')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('direction', '=', 'in')
    .where('leg', '=', 'source')
    .executeTakeFirstOrThrow();
  return Number(count);
}

test.each([
  ['as it comes', undefined],
  ['and prefers to wait', 'wait=3'],
])(
  'an engine that judges nothing has eight messages of one operator, not more with every second: %s (SEC-7)',
  async (_, prefer) => {
    const before = await storedSubmissions();
    const quote = await bestQuote(gateway);
    const one = (): OriginalPacs008 => instruction(quote);
    const flood = Array.from({ length: 40 }, () =>
      submitXml(gateway, buildPacs008(one()), prefer === undefined ? {} : { prefer }),
    );
    await eventually(async () => expect((await storedSubmissions()) - before).toBe(8));
    await Promise.allSettled(flood); // the others were refused
    expect((await storedSubmissions()) - before).toBe(8);
  },
);

test('nothing is stored of what would be answered late, and another operator is heard (OVL-1, I-16)', async () => {
  const quote = await bestQuote(gateway);
  const submitOne = () => submitXml(gateway, buildPacs008(instruction(quote)));
  const flood = Array.from({ length: 40 }, submitOne);
  let refused: Submitted | undefined;
  while (refused === undefined) {
    await delay(100);
    const answer = await Promise.race([submitOne(), delay(1_000)]);
    if (answer?.httpStatus === 429) refused = answer;
  }
  expect((JSON.parse(refused.text) as Problem).code).toBe('too-many-messages');
  expect(refused.headers.get('retry-after')).toBe('2');
  const before = await storedSubmissions();
  const other = submitXml(gateway, buildPacs008(instruction(quote)), { clientId: 'THBPPAY' });
  await eventually(async () => expect(await storedSubmissions()).toBe(before + 1));
  await Promise.allSettled([...flood, other]);
});
