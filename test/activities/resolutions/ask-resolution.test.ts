// One send of an enquiry: to which party, when it is not sent, and what is recorded (RES-1, CBK-3, CBK-5).
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { connect } from '../../../db/pool/connection.ts';
import { messageBody } from '../../../db/records/messages.ts';
import { faultProxy } from '../../harness/fault-proxy.ts';
import { accountRequest, proxyRequest } from '../../harness/asker.ts';
import { playOperator, resolutionSteps, yesTo } from './resolution-steps.ts';

const operator = await playOperator();
const { db, databaseUrl, at, routed, ask, follow, end, attempts } = await resolutionSteps(operator);
const proxy = await faultProxy(databaseUrl);
const through = connect(proxy.address, { applicationName: 'isthmus-test-lost', maxConnections: 1 });
afterAll(() => through.destroy());
const answers = () =>
  (operator.answer = (response, body) => {
    void yesTo(body).then((text) => response.end(text));
  });
beforeEach(() => {
  operator.asked = 0;
  answers();
});

const untilDeadline = (resolutionId: string, ms: number) =>
  db
    .updateTable('resolutions')
    .set({ deadline_at: new Date(Date.now() + ms) })
    .where('resolution_id', '=', resolutionId)
    .execute();

test('a source waits 8 s for its answer, in the seeded scheme (RES-1)', async () => {
  const { resolutionId } = await routed(accountRequest('8'));
  const { created_at: askedAt, deadline_at: deadlineAt } = await db
    .selectFrom('resolutions')
    .innerJoin('messages', 'message_id', 'resolution_id') // an acmt.023 and its resolution have one id
    .select(['created_at', 'deadline_at'])
    .where('resolution_id', '=', resolutionId)
    .executeTakeFirstOrThrow();
  expect(deadlineAt.getTime() - askedAt.getTime()).toBe(8_000);
});

describe('an answer that was stored', () => {
  test('is not asked for again, by whoever goes on after a crash', async () => {
    const judgement = await routed(accountRequest('1'));
    const reportMessageId = await ask(judgement);
    expect(await ask(judgement)).toBe(reportMessageId);
    expect(operator.asked).toBe(1);
  });

  test('counts at the deadline, though nothing had followed from it', async () => {
    const judgement = await routed(accountRequest('2'));
    await ask(judgement);
    expect(await end(judgement)).toMatchObject({ verified: true });
  });

  test('of a directory that leads to another party does not, for nobody asked that party', async () => {
    const judgement = await routed(proxyRequest('+66800000003'));
    operator.answer = (response, body) => {
      void yesTo(body).then((text) =>
        response.end(text.replace('<Prxy>', '<Id><Othr><Id>3</Id></Othr></Id><Prxy>')),
      );
    };
    await ask(judgement);
    expect(await end(judgement)).toMatchObject({ verified: false, reasonCode: 'AB08' });
  });
});

test('an IBAN that a directory found is asked about as it came, though its check digits are wrong (REF-7)', async () => {
  const judgement = await routed(proxyRequest('+66800000004'));
  operator.answer = (response, body) => {
    void yesTo(body).then((text) =>
      response.end(text.replace('<Prxy>', '<Id><IBAN>DE00370400440532013000</IBAN></Id><Prxy>')),
    );
  };
  const step = await follow(judgement, await ask(judgement));
  if (step.kind !== 'enquire') throw new Error(JSON.stringify(step));
  const bodies: string[] = [];
  operator.answer = (response, body) => {
    bodies.push(body.toString());
    void yesTo(body).then((text) => response.end(text));
  };
  const next = { ...judgement, enquiry: step.enquiry };
  expect(await follow(next, await ask(next))).toMatchObject({ kind: 'answered', answer: { verified: true } });
  expect(bodies).toEqual([expect.stringContaining('<IBAN>DE00370400440532013000</IBAN>')]);
});

describe('an answer that ISO 20022 takes and our usage guideline does not counts, and passes on as it came (RES-2, RES-3)', () => {
  const verdict = /<Vrfctn>true<\/Vrfctn>/;
  test.each([
    ['written otherwise', (text: string) => text.replace('>true<', '>1<'), true, null],
    [
      'without original and with more of the party',
      (text: string) =>
        text
          .replace(/<OrgnlAssgnmt>.*<\/OrgnlAssgnmt>/s, '')
          .replace('</Nm></Pty>', '</Nm><PstlAdr><CareOf>A\nB</CareOf></PstlAdr></Pty>')
          .replace('</Rpt>', '</Rpt><SplmtryData><Envlp><x:y xmlns:x="urn:x"/></Envlp></SplmtryData>'),
      true,
      null,
    ],
    [
      'a reason in own words',
      (text: string) => text.replace(verdict, '<Vrfctn>0</Vrfctn><Rsn><Prtry>asleep</Prtry></Rsn>'),
      false,
      'NARR',
    ],
    ['false without a reason', (text: string) => text.replace('>true<', '>false<'), false, 'NARR'],
  ] as const)('%s', async (what, change, verified, reasonCode) => {
    const judgement = await routed(accountRequest(`3${what.length}`));
    let said = '';
    operator.answer = (response, body) => {
      void yesTo(body).then((text) => response.end((said = change(text))));
    };
    const step = await follow(judgement, await ask(judgement));
    expect(step).toMatchObject({ kind: 'answered', answer: { verified, reasonCode } });
    const answerId = step.kind === 'answered' ? step.answer.answerMessageId : '';
    const passedOn = (await messageBody(db, answerId))?.toString() ?? '';
    const report = /<Rpt>.*<\/Rpt>/s;
    expect(report.exec(passedOn)?.[0]).toBe(report.exec(said)?.[0]);
  });
});

test('an answer that comes while our database fails is kept: the party is not asked again (TIM-3)', async () => {
  const judgement = await routed(accountRequest('12'));
  operator.answer = (response, body) => {
    proxy.keepAnswers();
    void yesTo(body).then((text) => response.end(text));
  };
  const asking = ask(judgement, at(operator.url, { db: through }));
  const stored = () =>
    db
      .selectFrom('messages')
      .select('message_id')
      .where('subject_id', '=', judgement.resolutionId)
      .where('message_type', '=', 'acmt024')
      .execute();
  await expect.poll(async () => (await stored()).length).toBe(1);
  proxy.reset();
  expect([{ message_id: await asking }]).toEqual(await stored());
  expect(await attempts(judgement)).toMatchObject([{ outcome: 'ANSWERED' }]);
  expect(operator.asked).toBe(1);
});

describe('nothing leaves', () => {
  test('once the resolution is answered, or its deadline has come', async () => {
    const answered = await routed(accountRequest('4'));
    await untilDeadline(answered.resolutionId, 0);
    await end(answered);
    await untilDeadline(answered.resolutionId, 60_000);
    expect(await ask(answered)).toBe('TooLate');
    const late = await routed(accountRequest('5'));
    await untilDeadline(late.resolutionId, 50);
    expect(await ask(late)).toBe('TooLate');
    expect(await attempts(late)).toEqual([]);
    expect(operator.asked).toBe(0);
  });

  test('to an address that is not https, but for loopback in a demo (SEC-2)', async () => {
    const judgement = await routed(accountRequest('7'));
    const strict = at(operator.url, { allowLoopbackCallbacks: false });
    expect(await ask(judgement, strict)).toBe('AddressWithdrawn');
    expect(await attempts(judgement)).toEqual([]);
    expect(operator.asked).toBe(0);
  });
});

test('each attempt goes to the address that is registered at its moment (CBK-5)', async () => {
  const judgement = await routed(accountRequest('8'));
  operator.answer = (response) => response.writeHead(503).end();
  expect(await ask(judgement)).toBe('PartyDidNotAnswer');
  const moved = await playOperator();
  moved.answer = (response, body) => {
    void yesTo(body).then((text) => response.end(text));
  };
  expect(await ask(judgement, at(moved.url))).toMatch(/^[0-9a-f-]{36}$/);
  expect([operator.asked, moved.asked]).toEqual([1, 1]);
});

test('what is held by a full gate is no attempt, and keeps no other party from being asked (CBK-3)', async () => {
  const hanging: (() => void)[] = [];
  operator.answer = (response, body) => {
    hanging.push(() => void yesTo(body).then((text) => response.end(text)));
  };
  const silent = await Promise.all(
    Array.from({ length: 9 }, (_, index) => routed(accountRequest(`9${index}`))),
  );
  const asking = silent.slice(0, 8).map((one) => ask(one));
  await expect.poll(() => hanging.length).toBe(8);
  const ninth = silent[8]!;
  expect(await ask(ninth)).toBe('Held');
  expect(await attempts(ninth)).toEqual([]);
  answers();
  expect(await ask(await routed(proxyRequest('+66800000009')))).toMatch(/^[0-9a-f-]{36}$/);
  hanging.forEach((release) => release());
  await Promise.all(asking);
  expect(await ask(ninth)).toMatch(/^[0-9a-f-]{36}$/);
});

test('a 200 whose body breaks off is no answer, though all of a message may be there (CBK-4)', async () => {
  operator.answer = (response, body) => {
    void yesTo(body).then((text) => {
      response.writeHead(200, { 'content-length': text.length + 10 });
      response.write(text, () => response.destroy());
    });
  };
  const judgement = await routed(accountRequest('10'));
  expect(await ask(judgement)).toBe('PartyDidNotAnswer');
  const events = await db
    .selectFrom('audit_events')
    .select('detail')
    .where('subject_id', '=', judgement.resolutionId)
    .execute();
  expect(events).toEqual([{ detail: { reason: 'not a whole message' } }]);
});
