// The business checks of a pacs.008 (PAY-3 to PAY-6): which failure is told first, the edges of each limit, and the
// binding to the quote.
import { describe, expect, test } from 'vitest';
import type { Pacs008 } from '../../../core/iso20022/pacs008.ts';
import type { JudgingContext } from '../../../core/payments/judge-payment.ts';
import { defaultAcceptanceAgeSeconds } from '../../../core/scheme/documents.ts';
import { chargesOf, judge, now, outcomeOf, quote, valid } from './judged-payment.ts';

/** The oldest acceptance that is still taken, in epoch milliseconds. */
const oldest = now - defaultAcceptanceAgeSeconds * 1_000;

describe('a payment with a quote', () => {
  test('is bound to the quote: amounts, fee, accounts, both ends (PAY-4)', () => {
    expect(judge()).toMatchObject({
      exchangeRate: '25',
      sourceAmount: { currency: 'SGD', amount: '1000' },
      destinationAmount: { currency: 'THB', amount: '25000' },
      creditorAgentFee: '100',
      sourceLeg: { agent: { bicfi: 'HARBSGS0' }, account: { otherId: 'MERI-SG-SGD' } },
      destinationLeg: { agent: { bicfi: 'HARBTHS0' }, account: { otherId: 'MERI-TH-THB' } },
      deadlineAt: null,
    });
  });

  test('may write the same numbers in other ways', () => {
    const changes: Partial<Pacs008> = {
      interbankSettlementAmount: { currency: 'SGD', amount: '1000.00' },
      agreedRate: { ...valid.agreedRate, preAgreedExchangeRate: '25.000000000' },
      charges: [valid.charges[0], { ...valid.charges[1], amount: '100.0' }],
    };
    expect(judge(changes)).toEqual(judge());
  });

  test.each([
    [
      'rate',
      { agreedRate: { ...valid.agreedRate, preAgreedExchangeRate: '25.000000001' } },
      'quote-rate-differs',
    ],
    ['amount', { interbankSettlementAmount: { currency: 'SGD', amount: '1000.01' } }, 'quote-amount-differs'],
    [
      'fee',
      { charges: [valid.charges[0], { ...valid.charges[1], amount: '100.01' }] },
      'creditor-agent-fee-differs',
    ],
  ] as const)('must not differ in the last digit of its %s', (_, changes, key) => {
    expect(judge(changes as Partial<Pacs008>)).toBe(key);
  });

  test('names its intermediary agents by any identifier of theirs', () => {
    const memberId = { clearingSystemId: 'SGDFAST', memberId: 'HARBSG01' };
    expect(judge({ intermediaryAgent1: { memberId } })).toEqual(judge());
  });

  test('that leaves nothing to credit is refused (FEE-5)', () => {
    const tiny = { ...quote, destinationInterbankSettlementAmount: '100.00' };
    expect(judge({}, { quote: tiny })).toBe('amount-too-small');
  });
});

const [lotusSg, lotusTh, fern] = [{ bicfi: 'LOTUSGS0' }, { bicfi: 'LOTUTHS0' }, { bicfi: 'FERNTHS0' }];

describe('the agents of charges are institutions, however they are named (MSG-6)', () => {
  const at = (
    own: Pacs008['debtorAgent'],
    creditor: Pacs008['creditorAgent'],
    changes: Partial<Pacs008> = {},
  ) => judge({ ...changes, charges: chargesOf(own, creditor) });
  test.each([
    ['the same BIC', { bicfi: 'LOTUSGS0' }],
    ['its LEI', { lei: '99990000000000000011' }],
    [
      'its member id in the named system',
      { memberId: { clearingSystemId: 'SGDFAST', memberId: 'LOTUSG01' } },
    ],
    ["its member id in the submitter's system", { memberId: { memberId: 'LOTUSG01' } }],
  ])('%s for the source PSP', (_, agent) => {
    expect(at(agent, lotusTh)).toEqual(judge());
    expect(at(lotusSg, lotusTh, { debtorAgent: agent })).toEqual(judge());
  });

  test.each([
    ['another BIC of the same institution', { bicfi: 'LOTUTHS0BKK' }],
    ['its member id', { memberId: { clearingSystemId: 'THBPPAY', memberId: 'LOTUTH01' } }],
    ["its member id in the destination's system", { memberId: { memberId: 'LOTUTH01' } }],
  ])('%s for the destination PSP', (_, agent) => {
    expect(at(lotusSg, agent)).toEqual(judge());
  });

  test('by another id, where the institution has no BIC', () => {
    const bare = { otherId: 'THBARE001' };
    expect(at(lotusSg, { memberId: { memberId: 'BARETH01' } }, { creditorAgent: bare })).toBeTypeOf('object');
    expect(at(lotusSg, lotusTh, { creditorAgent: bare })).toBe('charges-agent-wrong');
  });

  test.each([
    ['the LEI of nobody', { lei: '99990000000000000099' }],
    ['a name alone', { name: 'Lotus Bank' }],
    ['its own id beside one of another', { bicfi: 'LOTUSGS0', otherId: 'THBARE001' }],
    ['the destination PSP', { bicfi: 'LOTUTHS0' }],
  ])('%s is not the source PSP', (_, agent) => {
    expect(at(agent, lotusTh)).toBe('charges-agent-wrong');
  });

  test.each([
    ['the LEI of the source PSP', { lei: '99990000000000000011' }],
    ['a member id of another system', { memberId: { clearingSystemId: 'SGDFAST', memberId: 'LOTUTH01' } }],
  ])('%s is not the destination PSP', (_, agent) => {
    expect(at(lotusSg, agent)).toBe('charges-agent-wrong');
  });

  test('is judged with the usage guidelines, before duplicates (PAY-3)', () => {
    const charges = [{ ...valid.charges[0], agent: { lei: '1' } }, valid.charges[1]] as const;
    const recorded = {
      payment: { sourceSystem: 'SGDFAST', messageIdentification: valid.messageIdentification },
      messageIdHeldBy: undefined,
    };
    expect(outcomeOf({ charges }, { recorded })).toMatchObject({
      ok: false,
      refusal: { key: 'charges-agent-wrong', ruleId: 'MSG-6' },
    });
  });

  test('an agent that nobody knows is refused as such, not for its charges', () => {
    const unknown = { bicfi: 'NONESGS0' };
    expect(at(unknown, lotusTh, { debtorAgent: unknown })).toBe('debtor-agent-not-member');
    const abroad = { bicfi: 'NONETHS0' };
    expect(at(lotusSg, abroad, { creditorAgent: abroad })).toBe('creditor-agent-unknown');
  });
});

describe('the first failure is told (PAY-3)', () => {
  const anotherUetr = '33333333-3333-4333-8333-333333333333';
  /** A payment of the same UETR, which came under that MsgId. */
  const recordedAs = (messageIdentification: string, sourceSystem = 'SGDFAST') => ({
    recorded: { payment: { messageIdentification, sourceSystem }, messageIdHeldBy: anotherUetr },
  });
  /** Each row adds a failure that comes before those of the rows above it. */
  const ladder: readonly (readonly [string, Partial<Pacs008>, Partial<JudgingContext>])[] = [
    [
      'creditor-agent-fee-differs',
      { charges: [valid.charges[0], { ...valid.charges[1], amount: '99' }] },
      {},
    ],
    ['intermediary-agent-differs', { intermediaryAgent1: { bicfi: 'HARBTHS0' } }, {}],
    ['quote-amount-differs', { interbankSettlementAmount: { currency: 'SGD', amount: '999' } }, {}],
    ['quote-rate-differs', { agreedRate: { ...valid.agreedRate, preAgreedExchangeRate: '24' } }, {}],
    ['quote-in-use', {}, { quote: { ...quote, heldBy: anotherUetr } }],
    ['quote-expired', {}, { quote: { ...quote, expired: true } }],
    ['quote-foreign', {}, { quote: { ...quote, expired: true, pspId: 'SG-BANY' } }],
    ['quote-unknown', {}, { quote: undefined }],
    ['creditor-agent-not-onboarded', { creditorAgent: fern, charges: chargesOf(lotusSg, fern) }, {}],
    ['debtor-agent-not-member', { debtorAgent: lotusTh, charges: chargesOf(lotusTh, fern) }, {}],
    ['acceptance-too-old', { acceptanceDateTime: { text: '', epochMs: oldest - 1 } }, {}],
    ['duplicate-message-id', {}, { recorded: { payment: undefined, messageIdHeldBy: anotherUetr } }],
    ['uetr-of-another', {}, recordedAs('M2', 'THBPPAY')],
    ['duplicate-uetr', {}, recordedAs('M2')],
    ['duplicate-content', {}, recordedAs(valid.messageIdentification)],
    ['charges-agent-wrong', { charges: chargesOf(fern, fern) }, {}],
    ['too-many-decimals', { interbankSettlementAmount: { currency: 'SGD', amount: '1.001' } }, {}],
    ['currency-wrong', { interbankSettlementAmount: { currency: 'THB', amount: '1' } }, {}],
    ['clearing-system-foreign', { clearingSystemId: 'THBPPAY' }, {}],
  ];

  test.each(ladder.map(([key], index) => [key, index] as const))('%s', (key, index) => {
    const failures = ladder.slice(0, index + 1);
    const changes = Object.assign({}, ...failures.map(([, one]) => one)) as Partial<Pacs008>;
    const around = Object.assign({}, ...failures.map(([, , one]) => one)) as Partial<JudgingContext>;
    expect(judge(changes, around)).toBe(key);
  });
});

describe('freshness, to the millisecond (TIM-4, TIM-1)', () => {
  const at = (epochMs: number, priority: 'HIGH' | 'NORM' = 'NORM') =>
    judge({ acceptanceDateTime: { text: '', epochMs }, priority });

  test('120 s old and 10 s ahead are taken; a millisecond more is not', () => {
    expect(at(now - 120_000)).toBeTypeOf('object');
    expect(at(now - 120_001)).toBe('acceptance-too-old');
    expect(at(now + 10_000)).toBeTypeOf('object');
    expect(at(now + 10_001)).toBe('acceptance-ahead');
  });

  test('HIGH has until 20 s after its acceptance; at that moment it is too late', () => {
    expect(at(now - 19_999, 'HIGH')).toMatchObject({ deadlineAt: now + 1 });
    expect(at(now - 20_000, 'HIGH')).toBe('deadline-past');
  });
});

describe('what came in time and is judged too late, by our fault (TIM-1, TIM-4)', () => {
  const at = (epochMs: number, storedAt: number, priority: 'HIGH' | 'NORM' = 'NORM') =>
    judge({ acceptanceDateTime: { text: '', epochMs }, priority }, { storedAt });

  test('it is rejected, but not for coming late', () => {
    expect(at(oldest - 1, now - 1)).toBe('judged-too-late');
    expect(at(oldest - 2, now - 1)).toBe('acceptance-too-old');
    expect(at(now - 20_000, now - 1, 'HIGH')).toBe('deadline-expired');
    expect(at(now - 20_001, now - 1, 'HIGH')).toBe('deadline-past');
    expect(at(now + 10_000, now - 1)).toBe('acceptance-ahead');
    expect(at(oldest - 1, now - 1, 'HIGH')).toBe('deadline-past'); // it came past its deadline, whatever we did then
    expect(at(oldest - 1, oldest + 19_998, 'HIGH')).toBe('judged-too-late');
  });
});
