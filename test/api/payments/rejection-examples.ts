// An input that causes each row of the table of rejections, for docs/reference/rejections.md: the judge itself says what
// is told. The compiler demands one for every row.
import { decisionBy, type DecisionFacts } from '../../../core/payments/decision.ts';
import { dryRun } from '../../../core/payments/dry-run.ts';
import type { Pacs008 } from '../../../core/iso20022/pacs008.ts';
import type { MessageName } from '../../../core/iso20022/messages.ts';
import type { JudgingContext } from '../../../core/payments/judge-payment.ts';
import { reject, type Rejection } from '../../../core/rejections/rejection.ts';
import type { RejectionKey } from '../../../core/rejections/rejection-table.ts';
import { defaultAcceptanceAgeSeconds } from '../../../core/scheme/documents.ts';
import { chargesOf, now, outcomeOf, own, ownRate, quote, valid } from '../../core/payments/judged-payment.ts';
import { world } from '../../core/scheme/small-world.ts';
import { edit } from '../../harness/patches.ts';
import { libxml2, lotus, readFixture } from '../../xml/fixtures.ts';
import { fresh } from './dry-run.ts';

interface Example {
  /** In words, beside an otherwise valid message. */
  readonly input: string;
  readonly cause: () => Promise<Rejection | undefined> | Rejection | undefined;
}

/** What the dry run says first of bytes: schema and rules. */
async function firstOf(name: MessageName, xml: string, reference = world): Promise<Rejection | undefined> {
  const parsed = libxml2.parse(Buffer.from(xml), [name]);
  if (!parsed.ok) throw new Error(parsed.refusal.detail);
  const document = parsed.value.document();
  const violations = await parsed.value.validate();
  parsed.value.dispose();
  return dryRun({ name, document, violations }, { reference, sourceSystem: 'SGDFAST', now }).rejections[0];
}

const spoiled = (from: RegExp | string, to: string) => () =>
  firstOf('pacs008', edit(fresh(lotus, new Date(now)), from, to));

/** What the judge of a submission says of values. */
const judged =
  (changes: Partial<Pacs008>, around: Partial<JudgingContext> = {}) =>
  () => {
    const outcome = outcomeOf(changes, around);
    return outcome.ok ? undefined : outcome.refusal;
  };
const quoted = (changes: Partial<typeof quote>) => judged({}, { quote: { ...quote, ...changes } });
const recorded = (sourceSystem: string, messageIdentification: string) =>
  judged({}, { recorded: { payment: { sourceSystem, messageIdentification }, messageIdHeldBy: undefined } });
const accepted = (secondsAgo: number) => ({
  text: new Date(now - secondsAgo * 1_000).toISOString(),
  epochMs: now - secondsAgo * 1_000,
});
const tooOld = defaultAcceptanceAgeSeconds + 1;
const named = (side: 'debtorAgent' | 'creditorAgent', bicfi: string) => {
  const agents = { debtorAgent: valid.debtorAgent, creditorAgent: valid.creditorAgent, [side]: { bicfi } };
  return judged({ ...agents, charges: chargesOf(agents.debtorAgent, agents.creditorAgent) });
};
const fee = (amount: string) => [valid.charges[0], { ...valid.charges[1], amount }] as const;

const request = readFixture('acmt023', 'account.xml')
  .toString()
  .replace('<Ctry>MY', '<Ctry>TH')
  .replace('LOTUMYS0', 'LOTUTHS0');
const proxy = readFixture('acmt023', 'proxy.xml').toString();
const asked = (xml: string, change?: readonly [from: RegExp, to: string]) => () =>
  firstOf('acmt023', change === undefined ? xml : edit(xml, ...change));

const undecided: DecisionFacts = { report: null, firstFinal: null, outcome: null, deadlineAt: now, now };

export const rejectionExamples = {
  'schema-invalid': { input: '`IntrBkSttlmAmt` `1,000`', cause: spoiled('"SGD">1000.00', '"SGD">1,000') },
  'element-missing': {
    input: 'no `EndToEndId`',
    cause: spoiled(/<EndToEndId>[^<]*<\/EndToEndId>/, ''),
  },
  'code-required': {
    input: '`Purp/Prtry` `GDDS`',
    cause: spoiled(/<Purp>\s*<Cd>[^<]*<\/Cd>/, '<Purp><Prtry>GDDS</Prtry>'),
  },
  'too-many-decimals': {
    input: '`IntrBkSttlmAmt` 1000.001 SGD',
    cause: spoiled('"SGD">1000.00', '"SGD">1000.001'),
  },
  'currency-wrong': {
    input: '`IntrBkSttlmAmt` in JPY',
    cause: spoiled('<IntrBkSttlmAmt Ccy="SGD"', '<IntrBkSttlmAmt Ccy="JPY"'),
  },
  'code-unknown': { input: '`CtgyPurp/Cd` `ZZZZ`', cause: spoiled('>CASH<', '>ZZZZ<') },
  'iban-wrong': {
    input: 'an IBAN of DE with wrong check digits',
    cause: spoiled(
      /<CdtrAcct>\s*<Id>[^]*?<\/Id>\s*<\/CdtrAcct>/,
      '<CdtrAcct><Id><IBAN>DE89370400440532013001</IBAN></Id></CdtrAcct>',
    ),
  },
  'amount-zero': { input: '`IntrBkSttlmAmt` 0.00', cause: spoiled('"SGD">1000.00', '"SGD">0.00') },
  'guideline-violated': { input: '`ChrgBr` `DEBT`', cause: spoiled('>SHAR<', '>DEBT<') },
  'clearing-system-foreign': {
    input: '`ClrSys` MYRRPP, submitted by SGDFAST',
    cause: spoiled('<Prtry>SGDFAST', '<Prtry>MYRRPP'),
  },
  'charges-agent-wrong': {
    input: '`ChrgsInf[1]/Agt` BANYSGS0, `DbtrAgt` LOTUSGS0',
    cause: judged({ charges: chargesOf({ bicfi: 'BANYSGS0' }, valid.creditorAgent) }),
  },
  'required-by-destination': {
    input: 'no `CtgyPurp`, to TH, which requires it',
    cause: spoiled(/<CtgyPurp>[^]*?<\/CtgyPurp>/, ''),
  },
  'debtor-agent-not-member': {
    input: '`DbtrAgt` LOTUTHS0, submitted by SGDFAST',
    cause: named('debtorAgent', 'LOTUTHS0'),
  },
  'creditor-agent-unknown': {
    input: '`CdtrAgt` NOBATHS0, an unknown BIC',
    cause: named('creditorAgent', 'NOBATHS0'),
  },
  'creditor-agent-not-onboarded': {
    input: '`CdtrAgt` FERNTHS0, not onboarded',
    cause: named('creditorAgent', 'FERNTHS0'),
  },
  'destination-maximum-exceeded': {
    input: '80,000.01 SGD at 25, own exchange',
    cause: judged({
      ...own,
      interbankSettlementAmount: { currency: 'SGD', amount: '80000.01' },
      charges: fee('2075'),
    }),
  },
  'quote-unknown': { input: 'the `QtId` of no quote', cause: judged({}, { quote: undefined }) },
  'quote-foreign': { input: 'a quote of BANYSGS0', cause: quoted({ pspId: 'SG-BANY' }) },
  'quote-expired': { input: 'a quote that is 601 s old', cause: quoted({ expired: true }) },
  'quote-in-use': {
    input: 'a quote that another payment uses',
    cause: quoted({ heldBy: '11111111-1111-4111-8111-111111111102' }),
  },
  'quote-rate-differs': {
    input: '`PreAgrdXchgRate` 25.1, the quote is at 25',
    cause: judged({ agreedRate: { ...valid.agreedRate, preAgreedExchangeRate: '25.1' } }),
  },
  'quote-amount-differs': {
    input: '1000.01 SGD, the quote is for 1000',
    cause: judged({ interbankSettlementAmount: { currency: 'SGD', amount: '1000.01' } }),
  },
  'quote-currency-differs': {
    input: 'THB, the quote is in CNY',
    cause: quoted({ destinationCurrency: 'CNY' }),
  },
  'quote-country-differs': {
    input: 'a creditor agent in TH, the quote is for PH',
    cause: quoted({ destinationCountry: 'PH' }),
  },
  'intermediary-agent-differs': {
    input: '`IntrmyAgt1` HARBTHS0, the quote has HARBSGS0',
    cause: judged({ intermediaryAgent1: { bicfi: 'HARBTHS0' } }),
  },
  'creditor-agent-fee-differs': {
    input: '`ChrgsInf[2]/Amt` 99.99, the quote has 100',
    cause: judged({ charges: fee('99.99') }),
  },
  'own-account-unregistered': {
    input: 'own exchange from the account of MERISGS0',
    cause: judged({ ...own, intermediaryAgent2Account: { otherId: 'MERI-TH-THB' } }),
  },
  'own-amount-wrong': {
    input: 'own exchange, `InstdAmt` 24880 THB, `IntrBkSttlmAmt` 999.21 SGD at 25',
    cause: judged({
      ...own,
      instructedAmount: { currency: 'THB', amount: '24880' },
      interbankSettlementAmount: { currency: 'SGD', amount: '999.21' },
    }),
  },
  'creditor-agent-fee-wrong': {
    input: 'own exchange of 1000 SGD at 25, `ChrgsInf[2]/Amt` 1',
    cause: judged({ ...own, charges: fee('1') }),
  },
  'amount-too-small': {
    input: 'own exchange of 1 SGD at 25',
    cause: judged({
      ...own,
      agreedRate: ownRate,
      interbankSettlementAmount: { currency: 'SGD', amount: '1' },
      charges: fee('75.03'),
    }),
  },
  'uetr-of-another': {
    input: 'a UETR that MYRRPP used first',
    cause: recorded('MYRRPP', 'ANOTHER'),
  },
  'duplicate-uetr': { input: 'a UETR of yours with another MsgId', cause: recorded('SGDFAST', 'ANOTHER') },
  'duplicate-content': {
    input: 'UETR and MsgId of an earlier message, other content',
    cause: recorded('SGDFAST', valid.messageIdentification),
  },
  'duplicate-message-id': {
    input: 'a MsgId of yours with another UETR',
    cause: judged(
      {},
      { recorded: { payment: undefined, messageIdHeldBy: '11111111-1111-4111-8111-111111111102' } },
    ),
  },
  'acceptance-too-old': {
    input: `\`AccptncDtTm\` ${tooOld} s ago`,
    cause: judged({ acceptanceDateTime: accepted(tooOld) }),
  },
  'acceptance-ahead': {
    input: '`AccptncDtTm` 11 s ahead',
    cause: judged({ acceptanceDateTime: accepted(-11) }),
  },
  'judged-too-late': {
    input: `\`AccptncDtTm\` ${tooOld} s ago; it came a second earlier`,
    cause: judged({ acceptanceDateTime: accepted(tooOld) }, { storedAt: now - 1_000 }),
  },
  'deadline-past': {
    input: 'priority HIGH, `AccptncDtTm` 20 s ago',
    cause: judged({ priority: 'HIGH', acceptanceDateTime: accepted(20) }),
  },
  'deadline-expired': {
    input: 'priority HIGH, no final status within 20 s',
    cause: () => decisionBy({ by: 'deadline' }, undecided).rejection,
  },
  'destination-paused': {
    input: 'a destination that operators have paused',
    cause: judged({}, { reference: { ...world, paused: new Set(['THBPPAY']) } }),
  },
  'destination-unreachable': {
    input: 'priority NORM, no byte could be sent for 60 s',
    cause: () => decisionBy({ by: 'unreachable' }, undecided).rejection,
  },
  'assigner-not-member': {
    input: 'acmt.023, `Assgnr` LOTUTHS0, submitted by SGDFAST',
    cause: asked(request, [/(<Assgnr>[^]*?<BICFI>)\w+/, '$1LOTUTHS0']),
  },
  'assignee-country-missing': {
    input: 'acmt.023 without `Ctry` in `Assgne`',
    cause: asked(request, [/<Assgne>[^]*?<\/Assgne>/, '<Assgne><Agt><FinInstnId/></Agt></Assgne>']),
  },
  'assignee-country-unknown': {
    input: 'acmt.023, `Ctry` FR',
    cause: asked(request, [/(<Assgne>[^]*?<Ctry>)\w+/, '$1FR']),
  },
  'proxy-directory-missing': {
    input: 'acmt.023, a proxy to a country without directory',
    cause: asked(proxy),
  },
  'duplicate-request': {
    input: 'acmt.023, the MsgId of an earlier one, other content',
    cause: () => reject('duplicate-request'),
  },
  'resolution-agent-not-onboarded': {
    input: 'acmt.023, creditor agent FERNTHS0, not onboarded',
    cause: asked(request, [/(<PtyAndAcctId>[^]*?<BICFI>)\w+/, '$1FERNTHS0']),
  },
  'resolution-agent-unknown': {
    input: 'acmt.023, creditor agent NOBATHS0, an unknown BIC',
    cause: asked(request, [/(<PtyAndAcctId>[^]*?<BICFI>)\w+/, '$1NOBATHS0']),
  },
  'resolution-not-supported': {
    input: 'acmt.023, a creditor agent that does not take acmt.023',
    cause: asked(request),
  },
  'resolution-deadline': {
    input: 'acmt.023, no answer within 8 s',
    cause: () => reject('resolution-deadline'),
  },
  defect: {
    input: 'any message that an error of ours keeps from being judged',
    cause: () => reject('defect'),
  },
} as const satisfies Record<RejectionKey, Example>;
