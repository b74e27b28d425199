// Resolutions on real parts: proxy or account, found or not, refusals, the deadline, repeats.
import { describe, expect, test } from 'vitest';
import { buildAcmt023, type OriginalAcmt023 } from '../../fixtures/acmt023.ts';
import { ibanOf } from '../../fixtures/iban.ts';
import { elementAt } from '../../core/iso20022/tree.ts';
import { expectSoundMessages } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { officialNote, validTree } from '../xml/fixtures.ts';
import {
  accountRequest,
  ask as askOnce,
  askXml,
  parseAcmt024,
  proxyRequest,
  resolutionEvidence,
} from '../harness/asker.ts';
import { eventually } from '../harness/wait.ts';

const deadlineSeconds = 2; // for requests from Malaysia

const gateway = await testGateway({
  prepare: async (db) => {
    await db
      .updateTable('clearing_systems')
      .set({ max_resolution_seconds: deadlineSeconds })
      .where('clearing_system_id', '=', 'MYRRPP')
      .execute();
  },
});
const evidence = resolutionEvidence(gateway);

/** Asks, and expects an acmt.024. */
const ask: typeof askOnce = async (...question) => {
  const asked = await askOnce(...question);
  expect(asked.httpStatus, asked.text).toBe(200);
  return asked;
};

describe.concurrent('a proxy', () => {
  test('is found by the directory and confirmed by the creditor agent, whose answer passes on, to the callback too (RES-1, RES-2)', async () => {
    const request = proxyRequest('+66810000001');
    const asked = await ask(gateway, request);
    expect(asked.answer).toMatchObject({
      verified: true,
      original: {
        messageIdentification: request.messageIdentification,
        creationDateTime: request.creationDateTime,
      },
      found: { partyName: 'Somchai Jaidee', account: { otherId: '66810000001' }, accountName: 'S. JAIDEE' },
    });
    const legs = evidence.about('+66810000001', 'acmt023');
    expect(legs.map((one) => [one.party, one.direction])).toEqual([
      ['destination/IPSO-TH', 'received'],
      ['destination/IPSO-TH', 'received'],
    ]);
    expect(new Set(legs.map((one) => one.messageId)).size).toBe(2);
    await evidence.callback(asked);
    await evidence.closed(request.messageIdentification);
    expect(await evidence.row(request.messageIdentification)).toMatchObject({
      verified: true,
      answered_by: 'creditor-agent',
    });
    expect(await evidence.attempts(request.messageIdentification, 'directory-enquiry')).toMatchObject([
      { outcome: 'ANSWERED', http_status: 200 },
    ]);
    expect(await evidence.attempts(request.messageIdentification, 'account-enquiry')).toMatchObject([
      { outcome: 'ANSWERED', http_status: 200 },
    ]);
  });

  test('of an agent that takes no acmt.023: the answer of the directory passes on, its name as it is (RES-2, RES-3)', async () => {
    const request = proxyRequest('+66810010001');
    const { answer } = await ask(gateway, request);
    expect(answer).toMatchObject({
      verified: true,
      found: { accountName: 'S. JAIDEE', agent: { bicfi: 'BANYTHS0' } },
    });
    expect(evidence.about('+66810010001', 'acmt023')).toHaveLength(1);
    expect(await evidence.row(request.messageIdentification)).toMatchObject({ answered_by: 'directory' });
  });

  test.each([
    ['+66810020001', 'AGNT', 'an agent that is not onboarded'],
    ['+66810030001', 'RC07', 'an agent that nobody knows'],
  ])('%s: false %s for %s (RES-2)', async (proxy, reasonCode) => {
    const request = proxyRequest(proxy);
    const { answer, headers } = await ask(gateway, request);
    expect(answer).toMatchObject({ verified: false, reasonCode });
    expect(headers.get('isthmus-rejection')).toMatch(/^RES-2 Vrfctn\/PtyAndAcctId\/Agt: /);
    expect(await evidence.row(request.messageIdentification)).toMatchObject({
      answered_by: 'gateway',
      rule_id: 'RES-2',
    });
  });

  test.each(['AC04 0402', 'AB08 0415', 'MS03 0417'])(
    'refused by the directory: false %s passes on (RES-4)',
    async (row) => {
      const [reasonCode = '', digits = ''] = row.split(' ');
      const request = proxyRequest(`+6681100${digits}`);
      const asked = await ask(gateway, request);
      expect(asked.answer).toMatchObject({ verified: false, reasonCode });
      expect(asked.headers.get('isthmus-rejection')).toBeNull();
      await evidence.callback(asked);
      expect(await evidence.row(request.messageIdentification)).toMatchObject({ answered_by: 'directory' });
      const listed = reasonCode !== 'MS03';
      expect(await evidence.audit(request.messageIdentification)).toEqual(
        listed ? [] : ['resolution.reason-unlisted'],
      );
    },
  );

  test('of a country without a directory: false BE23 (RES-2)', async () => {
    const { answer } = await ask(gateway, proxyRequest('+4915100000001', { destinationCountry: 'DE' }));
    expect(answer).toMatchObject({ verified: false, reasonCode: 'BE23' });
  });
});

describe.concurrent('an account', () => {
  test('is confirmed by its creditor agent, without a directory (RES-2)', async () => {
    const { answer } = await ask(gateway, accountRequest('6680000003'));
    expect(answer).toMatchObject({ verified: true, found: { partyName: 'Maria Santos' } });
    expect(evidence.about('6680000003', 'acmt023')).toHaveLength(1);
  });

  test('by IBAN, at an agent named by another of its BICs', async () => {
    const { answer } = await ask(
      gateway,
      accountRequest('', {
        destinationCountry: 'DE',
        account: { iban: ibanOf('DE', '37040044053201', '0007') },
        creditorAgent: { bicfi: 'LOTUDES0BER' },
      }),
    );
    expect(answer).toMatchObject({ verified: true, found: { partyName: 'Anna Weber' } });
  });

  test.each([
    ['BANYTHS0', 'AB08', 'takes no acmt.023'],
    ['FERNTHS0', 'AGNT', 'is not onboarded'],
    ['NONETHS0', 'RC07', 'is unknown'],
  ])('%s: false %s, for the agent %s (RES-2)', async (bicfi, reasonCode) => {
    const { answer } = await ask(gateway, accountRequest('6680000001', { creditorAgent: { bicfi } }));
    expect(answer).toMatchObject({ verified: false, reasonCode });
  });

  test('refused by the creditor agent: its reason passes on (RES-4)', async () => {
    const request = accountRequest('6681100402');
    expect((await ask(gateway, request)).answer).toMatchObject({ verified: false, reasonCode: 'AC04' });
    expect(await evidence.row(request.messageIdentification)).toMatchObject({
      answered_by: 'creditor-agent',
    });
  });
});

describe.concurrent('a request that is refused', () => {
  const withoutAgent: OriginalAcmt023 = {
    ...proxyRequest('+66800000001'),
    account: { otherId: '6680000001' },
  };
  const good = buildAcmt023(accountRequest('6680000001'));

  test.each([
    ['no destination country', good.replace(/<PstlAdr>.*?<\/PstlAdr>/, ''), 'CH21', /^RES-2 .*Assgne/],
    ['an account without agent', buildAcmt023(withoutAgent), 'CH21', /^RES-2 Vrfctn\/PtyAndAcctId\/Agt/],
    ['an element too many', good.replace('<Vrfctn>', '<Extra>1</Extra><Vrfctn>'), 'FF01', /^MSG-4 /],
  ])('%s: refused with rule and XPath, in the answer and to the callback', async (name, xml, code, told) => {
    const messageIdentification = `BAD${name.replaceAll(' ', '-')}`;
    const asked = await askXml(gateway, xml.replace(/<MsgId>.*?</, `<MsgId>${messageIdentification}<`));
    expect(asked.answer).toMatchObject({
      verified: false,
      reasonCode: code,
      original: { messageIdentification },
    });
    expect(asked.headers.get('isthmus-rejection')).toMatch(told);
    await evidence.callback(asked);
    await evidence.closed(messageIdentification);
  });

  test.each([
    ['assigner', /<Assgnr>.*?<\/Assgnr>/, 'Assgnr', 'Assgnr/Agt'],
    ['first agent', /<FrstAgt>.*?<\/FrstAgt>/, 'FrstAgt', 'FrstAgt'],
  ])(
    "in another's name, by its %s: false AGNT, and nobody is asked (RES-5)",
    async (_, element, name, path) => {
      const messageId = `FOREIGN-${name}`;
      const foreign = good.replace(element, (own) => own.replace('LOTUSGS0', 'LOTUTHS0'));
      const asked = await askXml(gateway, foreign.replace(/<MsgId>.*?</, `<MsgId>${messageId}<`));
      expect(asked.answer).toMatchObject({ verified: false, reasonCode: 'AGNT' });
      expect(asked.headers.get('isthmus-rejection')).toBe(
        `RES-5 Assgnmt/${path}: not a member of the submitting system (AGNT, wrong value). Expected: your own ` +
          'clearing system, or an institution that is a member of it.',
      );
      expect(await evidence.attempts(messageId, 'account-enquiry')).toEqual([]);
      await evidence.callback(asked);
    },
  );

  test('at intake: 4xx, and nothing is stored or started (MSG-2)', async () => {
    const count = async () =>
      (await gateway.db.selectFrom('messages').select('message_id').where('party', '=', 'IDRBFAST').execute())
        .length;
    const options = { clientId: 'IDRBFAST' };
    const statuses = [
      await askXml(gateway, '<not xml', options),
      await askXml(gateway, good.replace('acmt.023.001.04', 'acmt.023.001.03'), options),
      await askXml(gateway, good.replace(/<MsgId>.*?<\/MsgId>/, ''), options),
      await askXml(gateway, good, { ...options, callbackUrl: 'https://elsewhere.example/acmt024' }),
    ].map((one) => one.httpStatus);
    expect(statuses).toEqual([400, 400, 400, 422]);
    expect(await count()).toBe(0);
  });
});

describe.concurrent('repeats', () => {
  test('the same again gets the stored answer, in the response and to the callback; nobody is asked again (DUP-1)', async () => {
    const request = proxyRequest('+66820000005');
    const first = await ask(gateway, request);
    await evidence.callback(first);
    await evidence.closed(request.messageIdentification);
    const second = await ask(gateway, request);
    expect(second.text).toBe(first.text);
    await eventually(async () => {
      expect(await evidence.attempts(request.messageIdentification, 'callback')).toHaveLength(2);
    });
    expect(evidence.about('+66820000005', 'acmt023')).toHaveLength(2);
  });

  test('20 identical requests at once: one resolution, one answer (I-13)', async () => {
    const request = proxyRequest('+66820000006');
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(gateway, request)));
    expect(answers.map((one) => one.httpStatus)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(new Set(answers.map((one) => one.text)).size).toBe(1);
    expect(evidence.about('+66820000006', 'acmt023')).toHaveLength(2);
  });

  test('the same MsgId for other content: false DUPL in the answer only, a security event; the first is untouched (DUP-2)', async () => {
    const request = proxyRequest('+66820000007');
    const first = await ask(gateway, request);
    await evidence.callback(first);
    await evidence.closed(request.messageIdentification);
    const other = { ...request, verificationId: 'V-2' };
    const refused = await ask(gateway, other);
    expect(refused.answer).toMatchObject({ verified: false, reasonCode: 'DUPL', verificationId: 'V-2' });
    expect(refused.headers.get('isthmus-rejection')).toMatch(
      /^DUP-2 Assgnmt\/MsgId: already sent with other/,
    );
    const again = await ask(gateway, other);
    expect([again.text, again.headers.get('isthmus-rejection')]).toEqual([
      refused.text,
      refused.headers.get('isthmus-rejection'),
    ]);
    expect((await ask(gateway, request)).text).toBe(first.text);
    expect(await evidence.audit(request.messageIdentification)).toEqual(['resolution.content-changed']);
    const told = gateway.sandbox.journal.entries().map((entry) => entry.messageId);
    expect(told).not.toContain(refused.answer?.messageIdentification);
  });

  test('two contents under one MsgId at once: one wins, the other is DUPL', async () => {
    const request = proxyRequest('+66820000008');
    const both = await Promise.all([
      ask(gateway, request),
      ask(gateway, { ...request, verificationId: 'V-2' }),
    ]);
    expect(both.map((one) => one.answer?.reasonCode ?? 'true').sort()).toEqual(['DUPL', 'true']);
  });

  test('the same MsgId of another submitter is another request', async () => {
    const request = proxyRequest('+66820000009');
    const [one, other] = await Promise.all([
      ask(gateway, request),
      ask(gateway, request, { clientId: 'HKDFPS' }),
    ]);
    expect([one.answer?.verified, other.answer?.verified]).toEqual([true, true]);
    expect(one.answer?.messageIdentification).not.toBe(other.answer?.messageIdentification);
  });
});

describe.concurrent('the deadline (RES-1)', () => {
  test('a silent directory: the gateway answers false AB08 then, to the callback too', async () => {
    const request = proxyRequest('+66830000408');
    const asked = await ask(gateway, request, { clientId: 'MYRRPP' });
    expect(asked.answer).toMatchObject({ verified: false, reasonCode: 'AB08' });
    expect(asked.headers.get('isthmus-rejection')).toBe(
      'RES-1 no answer before the deadline (AB08). Expected: to try again, a new request with a new MsgId.',
    );
    await evidence.callback(asked);
    await evidence.closed(request.messageIdentification, 'MYRRPP');
    const row = await evidence.row(request.messageIdentification);
    expect(row).toMatchObject({ answered_by: 'gateway', rule_id: 'RES-1' });
    const lateMs = (row?.answered_at?.getTime() ?? 0) - (row?.deadline_at.getTime() ?? 0);
    const { created_at: asked_at } = await gateway.db
      .selectFrom('messages')
      .select('created_at')
      .where('message_id', '=', row?.resolution_id ?? '')
      .executeTakeFirstOrThrow();
    expect(row!.deadline_at.getTime() - asked_at.getTime()).toBe(deadlineSeconds * 1_000);
    expect(lateMs).toBeGreaterThanOrEqual(-50);
    expect(lateMs).toBeLessThan(6_000); // 250 ms where nothing else runs
    expect(evidence.about('+66830000408', 'acmt023')).toHaveLength(1);
  });

  test('a silent creditor agent counts against the same deadline', async () => {
    const { answer } = await ask(gateway, accountRequest('6683000408'), { clientId: 'MYRRPP' });
    expect(answer).toMatchObject({ verified: false, reasonCode: 'AB08' });
  });
});

test(`every message that any party saw is valid, answers repeat their request, and no party saw a rule broken${officialNote}`, async () => {
  await expectSoundMessages(gateway);
  const passed = gateway.sandbox.journal
    .entries()
    .filter((entry) => entry.kind === 'acmt024' && entry.party.startsWith('source/'));
  expect(passed.length).toBeGreaterThan(20);
  for (const entry of passed) {
    const answer = await parseAcmt024(entry.bytes ?? '');
    const tree = await validTree('acmt024', entry.bytes ?? '');
    expect(elementAt(tree, 'IdVrfctnRpt/OrgnlAssgnmt/MsgId')?.text).toBe(
      answer.original.messageIdentification,
    );
  }
});
