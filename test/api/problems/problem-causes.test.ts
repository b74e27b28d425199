// Every problem beside an input that causes it: the whole text is compared, so that it can be read beside its input
// (MSG-13, SEC-4). The table is problem-cases.ts.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { problems, type ProblemCode } from '../../../api/http/problems/problems.ts';
import { endingIn } from '../../../fixtures/endings.ts';
import { instruction, type Changes } from '../../../fixtures/instruction.ts';
import { readDocument } from '../../docs/documents.ts';
import { newestAlert, writeEvent } from '../../harness/events.ts';
import { evidenceOf } from '../../harness/evidence.ts';
import { testGateway } from '../../harness/gateway.ts';
import { bestQuote, storeOnly, submit } from '../../harness/payer.ts';
import { problemTexts, withoutIds } from '../../harness/problem-texts.ts';
import { rewritten } from '../../harness/rewritten.ts';
import type { Asked, Caused } from './operations-problem-cases.ts';
import { cases } from './problem-cases.ts';

const gateway = await testGateway();
const { db } = gateway;
const evidence = evidenceOf(gateway);

async function pay(changes: Changes): Promise<string> {
  const message = instruction(await bestQuote(gateway), changes);
  expect((await submit(gateway, message)).httpStatus).toBe(200);
  return message.uetr;
}

async function waiting(): Promise<string> {
  const uetr = await pay({ ending: endingIn.silent });
  await evidence.arrival(uetr, 'destination', 'pacs008');
  return uetr;
}

async function doubted(): Promise<string> {
  const uetr = await waiting();
  await writeEvent(db, { severity: 'alert', kind: 'payment.in-doubt', subjectId: uetr });
  return uetr;
}

/** What the cases name: each makes a payment or an alert of its own, and returns its id. */
const makers: Readonly<Record<string, () => Promise<string>>> = {
  async credited() {
    const uetr = await pay({});
    await evidence.closed(uetr);
    return uetr;
  },
  waiting,
  doubted,
  async stored() {
    const message = instruction(await bestQuote(gateway));
    await storeOnly(gateway, message);
    return message.uetr;
  },
  /** In doubt, and an attempt to send its instruction has not ended. */
  async underWay() {
    const uetr = await doubted();
    // the activity writes how its attempt has ended
    await expect
      .poll(async () => (await evidence.attempts(uetr, 'instruction'))[0]?.outcome)
      .toBe('ANSWERED');
    await rewritten(
      db,
      sql`update delivery_attempts a set started_at = clock_timestamp() + interval '1 hour', finished_at = null, outcome = null
        from deliveries d where d.delivery_id = a.delivery_id and d.subject_id = ${uetr}::uuid and d.kind = 'instruction'`,
    );
    return uetr;
  },
  async alerted() {
    const uetr = await pay({});
    for (const kind of ['delivery.dead-letter', 'delivery.dead-letter', 'payment.contradiction'])
      await writeEvent(db, { severity: 'alert', kind, subjectId: uetr });
    return uetr;
  },
  async alert() {
    const subjectId = randomUUID();
    await writeEvent(db, { severity: 'alert', kind: 'report.unknown-payment', subjectId });
    return newestAlert(db, subjectId);
  },
};

/** Fills the names in, each with the same value throughout. */
type Fill = (text: string) => Promise<string>;

function filling(answers: readonly Readonly<Record<string, unknown>>[]): Fill {
  const made = new Map<string, string>();
  return async (text) => {
    let filled = text;
    for (const [whole, name = ''] of text.matchAll(/\{([\w.]+)\}/g)) {
      const [nth, member] = name.split('.');
      const value =
        member === undefined
          ? (made.get(name) ?? (await makers[name]?.()))
          : String(answers[Number(nth) - 1]?.[member]);
      if (value === undefined) throw new Error(`nobody makes ${whole}`);
      made.set(name, value);
      filled = filled.replace(whole, value);
    }
    return filled;
  };
}

async function send({ by, asks, body, headers = {} }: Asked, fill: Fill) {
  const [method = '', path = ''] = (await fill(asks)).split(' ');
  const isJson = typeof body === 'object';
  const response = await fetch(`${gateway.url}${path}`, {
    method,
    headers: {
      ...(by !== null && { authorization: `Bearer ${await gateway.token(by)}` }),
      ...(body !== undefined && { 'content-type': isJson ? 'application/json' : 'application/xml' }),
      ...headers,
    },
    ...(body !== undefined && { body: await fill(isJson ? JSON.stringify(body) : body) }),
  });
  return (await response.json()) as Record<string, unknown>;
}

async function told({ first = [], ...last }: Caused) {
  const answers: Record<string, unknown>[] = [];
  const fill = filling(answers);
  for (const one of first) {
    const answer = await send(one, fill);
    expect(answer, one.asks).not.toHaveProperty('code');
    answers.push(answer);
  }
  const { code, status, detail } = await send(last, fill);
  return [code, status, withoutIds(String(detail))];
}

describe('what a problem says, beside the request that causes it (MSG-13)', () => {
  test.each(Object.entries(cases) as [ProblemCode, Caused][])('%s', async (code, one) => {
    expect(await told(one)).toEqual([code, problems[code].status, one.told]);
  });

  test.each(Object.entries(problemTexts))('%s is caused by another test, which compares it', (code, one) => {
    expect(readDocument(one.shownBy)).toMatch(
      new RegExp(`\\bproblemTexts(\\.${code}|\\['${code}'\\])\\.told\\b`),
    );
  });
});
