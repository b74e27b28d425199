// GET /submissions on a whole gateway: payments and resolutions from the moment they are stored (OBS-5, LIF-2).
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { listSubmissions } from '../../../cli/ops/commands.ts';
import { buildPacs008 } from '../../../core/iso20022/build-pacs008.ts';
import { recordReceived } from '../../../db/records/messages.ts';
import { recordUnanswerable } from '../../../db/payments/unanswered.ts';
import { endingIn } from '../../../fixtures/endings.ts';
import { instruction, ownExchange } from '../../../fixtures/instruction.ts';
import { opsOn } from '../../cli/ops-context.ts';
import { accountRequest, ask as askToResolve } from '../../harness/asker.ts';
import { testGateway } from '../../harness/gateway.ts';
import { jsonRoutes } from '../../harness/json-routes.ts';
import { bestQuote, submit } from '../../harness/payer.ts';

const gateway = await testGateway();
const { db } = gateway;
const { lines, context } = opsOn(gateway);
beforeEach(() => void lines.splice(0));

interface Listed {
  readonly submissionId: string;
  readonly message: string;
  readonly messageIdentification: string;
  readonly subjectId: string;
  readonly state: string;
  readonly href: string | null;
  readonly [member: string]: unknown;
}
const ask = await jsonRoutes<{
  readonly submissions: readonly Listed[];
  readonly next: string | null;
  readonly code?: string;
  readonly errors?: readonly { readonly parameter: string; readonly detail: string }[];
}>(gateway);
const get = (query: string, client?: string) =>
  ask('GET', query.startsWith('http') ? query : `/submissions?${query}`, undefined, client);
const list = async (query: string, client?: string) => {
  const { status, body } = await get(query, client);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.submissions;
};

/** Stored as intake does, and handed to nobody: its process died. */
async function storeOnly(party: string): Promise<{ readonly messageId: string; readonly uetr: string }> {
  const message = instruction(ownExchange());
  const { messageId } = await recordReceived(db, {
    subjectId: message.uetr,
    type: 'pacs008',
    messageIdentification: message.messageIdentification,
    leg: 'source',
    party,
    answerUrl: gateway.sandbox.callbackUrl('SGDFAST'),
    body: Buffer.from(buildPacs008(message)),
  });
  return { messageId, uetr: message.uetr };
}

const paid = instruction(await bestQuote(gateway), { ending: endingIn.creditedAtOnce });
await submit(gateway, paid);
const rejected = instruction(await bestQuote(gateway), { purpose: 'ZZZZ' });
await submit(gateway, rejected);
const resolved = accountRequest('1');
const { answer } = await askToResolve(gateway, resolved);

const only = <Member extends string>(rows: readonly Listed[], ...members: readonly Member[]) =>
  rows.map((row) => members.map((member) => row[member]));

describe('lists', () => {
  test('payments and resolutions alike, newest first, each with what was answered', async () => {
    const rows = await list('');
    expect(
      only(rows, 'message', 'messageIdentification', 'state', 'status', 'verified', 'reasonCode'),
    ).toEqual([
      [
        'acmt.023.001.04',
        resolved.messageIdentification,
        'answered',
        null,
        answer?.verified,
        answer?.reasonCode ?? null,
      ],
      ['pacs.008.001.13', rejected.messageIdentification, 'answered', 'RJCT', null, expect.any(String)],
      ['pacs.008.001.13', paid.messageIdentification, 'answered', 'ACTC', null, null],
    ]);
    const [resolution, , payment] = rows;
    expect(resolution).toMatchObject({ party: 'SGDFAST', href: null, isUnanswerable: false });
    expect(resolution?.subjectId).toBe(resolution?.submissionId);
    expect(payment).toMatchObject({ subjectId: paid.uetr, href: `/payments/${paid.uetr}` });
  });

  test('one that a defect of ours kept from being answered at first, as answered and no more (SEC-9)', async () => {
    await recordUnanswerable(
      db,
      String(only(await list(`subjectId=${paid.uetr}`), 'submissionId')[0]),
      randomUUID(),
    );
    expect(only(await list(`subjectId=${paid.uetr}`), 'state', 'isUnanswerable')).toEqual([
      ['answered', false],
    ]);
  });

  test('by each filter', async () => {
    const found = async (query: string) => only(await list(query), 'messageIdentification').flat();
    const [acmt023, pacs008] = [resolved.messageIdentification, paid.messageIdentification];
    expect(await found('message=acmt023')).toEqual([acmt023]);
    expect(await found(`messageIdentification=${pacs008}`)).toEqual([pacs008]);
    expect(await found(`subjectId=${paid.uetr}`)).toEqual([pacs008]);
    const [resolution] = await list('message=acmt023');
    expect(await found(`subjectId=${resolution?.subjectId ?? ''}`)).toEqual([acmt023]);
    expect(await found('party=MYRRPP')).toEqual([]);
    expect(await found('state=stored,asking')).toEqual([]);
    expect(await found('olderThan=3600')).toEqual([]);
    expect(await found('to=2026-01-05T04:00:00Z')).toEqual([]);
    expect(await found('from=2026-01-05T04:00:00Z&message=acmt023')).toEqual([acmt023]);
  });

  test('page by page, each once, in the order of the whole', async () => {
    const whole = only(await list(''), 'submissionId').flat();
    const paged: unknown[] = [];
    for (let next: string | null = '/submissions?limit=1'; next !== null;) {
      const { body } = await ask('GET', next);
      paged.push(...only(body.submissions, 'submissionId').flat());
      next = body.next && new URL(body.next).pathname + new URL(body.next).search;
    }
    expect(paged).toEqual(whole);
  });

  test('to a payment system its own alone, to PSPs and FX providers nothing (SEC-1)', async () => {
    expect(await list('', 'MYRRPP')).toEqual([]);
    expect(await list('party=SGDFAST', 'MYRRPP')).toEqual([]);
    expect(await list('', 'SGDFAST')).toHaveLength(3);
    for (const client of ['LOTUSGS0', 'MERISGS0']) expect((await get('', client)).status).toBe(403);
  });
});

test('what is stored and not judged is there at once, and says so when a defect of ours keeps it from being answered (LIF-2, SEC-9)', async () => {
  const { messageId, uetr } = await storeOnly('IDRBFAST');
  const waiting = await list('state=stored&party=IDRBFAST');
  expect(only(waiting, 'subjectId', 'state', 'status', 'answeredAt', 'isUnanswerable')).toEqual([
    [uetr, 'stored', null, null, false],
  ]);
  await recordUnanswerable(db, messageId, randomUUID());
  expect(only(await list(`subjectId=${uetr}`), 'isUnanswerable')).toEqual([[true]]);

  await listSubmissions(context(), { party: 'IDRBFAST' }, { limit: '50' });
  expect(lines[0]).toMatch(
    /^stored \(UTC\) +message +from +MsgId +state +answer +answered \(UTC\) +UETR or id$/,
  );
  expect(lines[1]).toMatch(
    new RegExp(`pacs\\.008\\.001\\.13 +IDRBFAST .* stored, unanswerable +- +- +${uetr}$`),
  );
  expect(lines[2]).toBe('Of the last 24 hours; --from <time> looks further back.');
});

test('a resolution is being asked for until a party has answered (RES-1)', async () => {
  const slow = accountRequest('0407');
  const asking = askToResolve(gateway, slow);
  const states = async () =>
    only(await list(`messageIdentification=${slow.messageIdentification}`), 'state', 'verified');
  await expect.poll(states, { interval: 20 }).toEqual([['asking', null]]);
  expect((await asking).answer?.verified).toBe(true);
  expect(await states()).toEqual([['answered', true]]);
});

describe('refuses', () => {
  test.each([
    [
      'state=waiting',
      'state',
      'must be one or several of stored, asking, answered, with commas; not "waiting"',
    ],
    ['message=pacs002', 'message', expect.stringMatching(/pacs008.*acmt023/) as unknown],
    ['subjectId=1', 'subjectId', 'must be a lower-case UUID; not "1"'],
  ])('%s', async (query, parameter, detail) => {
    const { status, body } = await get(query);
    expect([status, body.errors]).toEqual([400, [{ parameter, detail }]]);
  });
});
