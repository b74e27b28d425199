// One operator floods the gateway. Another operator's payment is judged in its turn, and a refused message is not
// stored.
import { afterEach, expect, test } from 'vitest';
import { buildPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { fromTheOther, other } from '../harness/another-payer.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submit, submitXml, type Submitted } from '../harness/payer.ts';

const gateway = await testGateway();
const evidence = evidenceOf(gateway);
const { db } = gateway;

const flooder = 'SGDFAST';
const taken = 108; // under way or waiting
const fairShare = 40; // flood messages that may be taken while another operator's message waits: about 0.2 s of work

const quote = await bestQuote(gateway);

const plain = () => buildPacs008(instruction(quote));
const within = (xml: string, filling: string) => xml.replace('</CdtTrfTxInf>', `${filling}</CdtTrfTxInf>`);

/** Kinds of floods. Only the first exceeds the limit of messages, to spare the machine. */
const floods: readonly (readonly [string, number, () => string])[] = [
  ['payments that share one quote', taken + 40, plain],
  [
    'messages of 250 KiB',
    2 * fairShare,
    () => within(plain(), `<RmtInf><Ustrd>${'x'.repeat(250_000)}</Ustrd></RmtInf>`),
  ],
  [
    'messages that the schema refuses twenty times',
    2 * fairShare,
    () => within(plain(), '<Dbtr><Nm/></Dbtr>'.repeat(400)),
  ],
];

/** How many submissions of the flooder are stored. */
async function storedOf(party: string): Promise<number> {
  const { count } = await db
    .selectFrom('messages')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('party', '=', party)
    .where('direction', '=', 'in')
    .where('leg', '=', 'source')
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Number of stored submissions without a judgement. */
async function unjudged(): Promise<number> {
  const rows = await db
    .selectFrom('messages as m')
    .leftJoin('payments as p', 'p.uetr', 'm.subject_id')
    .select('m.message_id')
    .where('m.direction', '=', 'in')
    .where('m.leg', '=', 'source')
    .where('p.uetr', 'is', null)
    .execute();
  return rows.length;
}

afterEach(async () => {
  expect(await unjudged()).toBe(0);
});

test.each(floods)(
  'under a flood of %s the payment of another operator is judged in its turn',
  async (_, messages, make) => {
    const payment = await fromTheOther(gateway);
    const texts = Array.from({ length: messages }, make);
    const before = await storedOf(flooder);
    const answers: Submitted[] = [];
    const flood = texts.map(async (xml) => answers.push(await submitXml(gateway, xml)));
    await Promise.race(flood);
    const startedAt = await storedOf(flooder);
    const answer = await submit(gateway, payment, { clientId: other });
    const takenMeanwhile = (await storedOf(flooder)) - startedAt;
    expect(answer.report?.status).toBe('ACTC');
    expect(takenMeanwhile).toBeLessThanOrEqual(fairShare);
    await Promise.all(flood);
    const turnedAway = answers.filter(({ httpStatus }) => httpStatus === 429);
    const answered = answers.filter(({ httpStatus }) => httpStatus === 200);
    expect(turnedAway.length + answered.length).toBe(messages);
    expect((await storedOf(flooder)) - before).toBe(answered.length);
    for (const { headers, text } of turnedAway) {
      expect(headers.get('retry-after')).toMatch(/^[1-9]$/);
      expect(text).toContain('too-many-messages');
    }
    if (messages > taken) expect(turnedAway.length).toBeGreaterThan(0);
    expect((await evidence.arrival(payment.uetr, 'source', 'pacs002')).status).toBe('ACCC');
  },
);

test('whoever was turned away and comes back is taken', async () => {
  const texts = Array.from({ length: taken + 22 }, plain);
  const statuses = await Promise.all(
    texts.map(async (xml) => {
      for (let tries = 0; tries < 100; tries += 1) {
        const { httpStatus, headers } = await submitXml(gateway, xml);
        if (httpStatus !== 429) return httpStatus;
        const seconds = Number(headers.get('retry-after'));
        await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
      }
      return 429;
    }),
  );
  expect(statuses.every((status) => status === 200)).toBe(true);
});
