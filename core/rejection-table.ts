/**
 * Every reason for which the gateway itself refuses a message, in one table: ISO code, rule, what it checks, public text.
 */

/** The four kinds of fault (MSG-13); `explanation.ts` puts them into words. */
export type Fault = 'not-iso-20022' | 'not-used' | 'place-or-count' | 'value';

export interface RejectionRow {
  /** From the external status reason set. */
  readonly isoCode: string;
  readonly ruleId: string;
  /** What is checked, for the published table. */
  readonly checks: string;
  /** The place, if the check itself does not say. */
  readonly xpath?: string;
  /** The kind of fault, if the check itself does not say; default: `value`; null: the fault is not in the message. */
  readonly fault?: Fault | null;
  /** For the other side; never repeats data of the message. A check may be more precise. */
  readonly text: string;
  /** What was found, in general words, if the check itself does not say (MSG-13). */
  readonly found?: string;
  /** What to send or do instead, if the check itself does not say: not the principle, which is in `checks` (MSG-13). */
  readonly expected: string;
  /** It refuses keys that are already used: in the HTTP answer only, and the record stays as it is (DUP-2). */
  readonly ofRepeat?: true;
  /** The audit event for the operators, besides the answer. */
  readonly event?: { readonly severity: 'alert' | 'security'; readonly kind: string };
}

const sameBytes = 'to learn its status, send exactly the same bytes of the first message again (DUP-1)';

const newPayment = 'to try again, a new payment with a new UETR, MsgId and AccptncDtTm';

const transaction = '/Document/FIToFICstmrCdtTrf/CdtTrfTxInf';

export const rejections = {
  'schema-invalid': {
    isoCode: 'FF01',
    ruleId: 'MSG-4',
    checks: "The message is valid against the project's schema.",
    text: 'not valid against the schema',
    expected: 'what the schema in schemas/README.md has at this place',
  },
  'element-missing': {
    isoCode: 'CH21',
    ruleId: 'MSG-4',
    checks: 'Every mandatory element is present and not empty.',
    fault: 'place-or-count',
    text: 'mandatory element missing',
    expected: 'the element, not empty',
  },
  'code-required': {
    isoCode: 'CH21',
    ruleId: 'MSG-4',
    checks: 'Where an external code is required, `Prtry` is not used instead.',
    fault: 'not-used',
    text: 'Cd is required, not Prtry',
    expected: 'Cd, with a code of its external code set',
  },
  'too-many-decimals': {
    isoCode: 'CH20',
    ruleId: 'MSG-4',
    checks: 'An amount has no more decimals than the scheme sets for its currency (MON-2).',
    text: 'too many decimals',
    expected: 'no more decimals than the currency has',
  },
  'currency-wrong': {
    isoCode: 'CURR',
    ruleId: 'MSG-4',
    checks: "A currency is the country's and the corridor's.",
    text: 'currency not of the corridor',
    expected: 'the currency of the country on that side of the corridor',
  },
  'code-unknown': {
    isoCode: 'FF01',
    ruleId: 'MSG-4',
    checks: 'A code is in its external code set.',
    text: 'code not in its code set',
    expected: 'a code of its external code set',
  },
  'amount-zero': {
    isoCode: 'FF01',
    ruleId: 'MSG-4',
    checks: 'No amount is zero, except `ChrgsInf[1]/Amt`.',
    text: 'amount is zero',
    expected: 'an amount above 0',
  },
  'guideline-violated': {
    isoCode: 'FF01',
    ruleId: 'MSG-5',
    checks:
      'One transaction, settled by clearing, shared charges, a lower-case UUID v4, ids without stray slashes: what MSG-5 requires and has no code of its own for.',
    text: 'violates the usage guideline',
    expected: 'what the usage guideline in schemas/README.md says of this element',
  },
  'clearing-system-foreign': {
    isoCode: 'AGNT',
    ruleId: 'MSG-5',
    checks: "`ClrSys` is the submitter's own clearing system.",
    xpath: '/Document/FIToFICstmrCdtTrf/GrpHdr/SttlmInf/ClrSys/Prtry',
    text: "not the submitter's clearing system",
    expected: 'the id of your own clearing system',
  },
  'charges-agent-wrong': {
    isoCode: 'FF01',
    ruleId: 'MSG-6',
    checks: 'The agent of `ChrgsInf[1]` is the source PSP, that of `ChrgsInf[2]` the destination PSP.',
    text: 'not the agent of these charges',
    expected: 'in ChrgsInf[1] the institution of DbtrAgt, in ChrgsInf[2] that of CdtrAgt',
  },
  'required-by-destination': {
    isoCode: 'CH21',
    ruleId: 'MSG-7',
    checks: 'The elements that the destination country requires (`requiredMessageElements`) are present.',
    fault: 'place-or-count',
    text: 'required by the destination country',
    expected: 'the element: GET /countries/{countryCode} lists what a destination requires',
  },
  'debtor-agent-not-member': {
    isoCode: 'AGNT',
    ruleId: 'PAY-6',
    checks: 'The debtor agent is known and a member of the submitting operator.',
    xpath: `${transaction}/DbtrAgt`,
    text: 'debtor agent not a member',
    expected:
      "an onboarded PSP of the submitter's own payment system: GET /countries/{countryCode}/fin-insts/psp lists those of a country",
  },
  'creditor-agent-unknown': {
    isoCode: 'RC07',
    ruleId: 'PAY-6',
    checks: 'The creditor agent is known.',
    xpath: `${transaction}/CdtrAgt`,
    text: 'creditor agent unknown',
    expected: 'a PSP that GET /countries/{countryCode}/fin-insts/psp of the destination country lists',
  },
  'creditor-agent-not-onboarded': {
    isoCode: 'AGNT',
    ruleId: 'PAY-6',
    checks: 'The creditor agent is onboarded.',
    xpath: `${transaction}/CdtrAgt`,
    text: 'creditor agent not onboarded',
    expected: 'a PSP that GET /countries/{countryCode}/fin-insts/psp of the destination country lists',
  },
  'destination-maximum-exceeded': {
    isoCode: 'AM02',
    ruleId: 'PAY-6',
    checks: 'The destination amount does not exceed the destination maximum.',
    xpath: `${transaction}/IntrBkSttlmAmt`,
    text: 'above the destination maximum',
    expected:
      'a smaller amount: GET /countries/{countryCode}/currencies/{currencyCode}/max-amounts has the maximum',
  },
  'quote-unknown': {
    isoCode: 'AB04',
    ruleId: 'PAY-4',
    checks: 'The quote exists.',
    xpath: `${transaction}/AgrdRate/QtId`,
    text: 'quote unknown',
    found: 'the id of no quote',
    expected: 'the quoteId of a quote that the debtor agent got from GET /quotes, exactly as given there',
  },
  'quote-foreign': {
    isoCode: 'AGNT',
    ruleId: 'PAY-4',
    checks: 'The quote belongs to the debtor agent.',
    xpath: `${transaction}/AgrdRate/QtId`,
    text: 'not a quote of the debtor agent',
    found: 'a quote that another PSP asked for',
    expected: 'the quoteId of a quote that the debtor agent asked for itself',
  },
  'quote-expired': {
    isoCode: 'AB04',
    ruleId: 'PAY-4',
    checks: 'The quote is not expired (QUO-6).',
    xpath: `${transaction}/AgrdRate/QtId`,
    text: 'quote expired',
    expected: 'a new quote: one is valid for 600 s (QUO-6)',
  },
  'quote-in-use': {
    isoCode: 'AB04',
    ruleId: 'PAY-4',
    checks: 'No other payment uses the quote, unless that payment was rejected (QUO-8).',
    xpath: `${transaction}/AgrdRate/QtId`,
    text: 'quote already used',
    found: 'a quote that another payment uses',
    expected: 'a new quote: each is for one payment, unless that payment is rejected (QUO-8)',
  },
  'quote-rate-differs': {
    isoCode: 'AB04',
    ruleId: 'PAY-4',
    checks: "The agreed rate equals the quote's, numerically.",
    xpath: `${transaction}/AgrdRate/PreAgrdXchgRate`,
    text: "not the quote's rate",
    expected: 'the exchangeRate of the quote',
  },
  'quote-amount-differs': {
    isoCode: 'AM09',
    ruleId: 'PAY-4',
    checks: "The interbank settlement amount equals the quote's.",
    xpath: `${transaction}/IntrBkSttlmAmt`,
    text: "not the quote's amount",
    expected: 'the interbankSettlementAmount of the quote on the side of the debtor agent',
  },
  'quote-currency-differs': {
    isoCode: 'CURR',
    ruleId: 'PAY-4',
    checks: "The currencies equal the quote's.",
    xpath: `${transaction}/AgrdRate`,
    text: "not the quote's currencies",
    expected: 'the currencies of the quote',
  },
  'quote-country-differs': {
    isoCode: 'AB04',
    ruleId: 'PAY-4',
    checks: "The quote is for the creditor agent's country.",
    xpath: `${transaction}/CdtrAgt`,
    text: 'quote is for another country',
    expected: "a creditor agent of the quote's country, or a quote for the creditor agent's",
  },
  'intermediary-agent-differs': {
    isoCode: 'RC11',
    ruleId: 'PAY-4',
    checks: "Both intermediary agents and their accounts, if given, equal the quote's.",
    text: "not the quote's intermediary agent or account",
    expected:
      'the agents and accounts of GET /quotes/{quoteId}/intermediary-agents, or none: they are filled in',
  },
  'creditor-agent-fee-differs': {
    isoCode: 'AM09',
    ruleId: 'PAY-4',
    checks: "The creditor agent fee equals the quote's.",
    xpath: `${transaction}/ChrgsInf[2]/Amt`,
    text: "not the quote's creditor agent fee",
    expected: 'the amount in chargesInformation of the quote',
  },
  'own-account-unregistered': {
    isoCode: 'RC11',
    ruleId: 'PAY-5',
    checks: "Without a quote, `IntrmyAgt2Acct` is registered as the debtor agent's own account at that SAP.",
    xpath: `${transaction}/IntrmyAgt2Acct`,
    text: 'not a registered account of the debtor agent',
    expected: 'IntrmyAgt2 and IntrmyAgt2Acct: an account that is registered as your own at that SAP',
  },
  'creditor-agent-fee-wrong': {
    isoCode: 'AM09',
    ruleId: 'PAY-5',
    checks: 'Without a quote, the creditor agent fee follows its formula (FEE-2).',
    xpath: `${transaction}/ChrgsInf[2]/Amt`,
    text: 'not the creditor agent fee',
    expected: 'the fee by GET /fee-formulas/creditor-agent-fee/{countryCode}/{currencyCode}',
  },
  'amount-too-small': {
    isoCode: 'AM06',
    ruleId: 'FEE-5',
    checks: 'The creditor agent fee is smaller than the destination amount.',
    xpath: `${transaction}/IntrBkSttlmAmt`,
    text: 'nothing left after the creditor agent fee',
    expected: 'an amount that leaves something after the creditor agent fee',
  },
  'duplicate-uetr': {
    isoCode: 'DUPL',
    ruleId: 'DUP-2',
    checks: 'A UETR is not reused under another message id.',
    xpath: `${transaction}/PmtId/UETR`,
    text: 'UETR already used; the first message stands',
    found: 'the UETR of an earlier message with another MsgId',
    expected: `a new UETR for a new payment; the first one is unchanged; ${sameBytes}`,
    ofRepeat: true,
  },
  'duplicate-content': {
    isoCode: 'DUPL',
    ruleId: 'DUP-2',
    checks: 'A UETR and message id are not reused for other content.',
    xpath: `${transaction}/PmtId/UETR`,
    text: 'already sent with other content; the first one stands',
    found: 'content that differs from the first message with these ids',
    expected: `a new UETR and MsgId for a new payment; the first one is unchanged; ${sameBytes}`,
    ofRepeat: true,
    event: { severity: 'security', kind: 'payment.content-changed' },
  },
  'duplicate-message-id': {
    isoCode: 'DU01',
    ruleId: 'DUP-2',
    checks: 'A sender does not reuse a message id within 62 days.',
    xpath: '/Document/FIToFICstmrCdtTrf/GrpHdr/MsgId',
    text: 'message id already used; the first message stands',
    found: 'the MsgId of an earlier message with another UETR',
    expected: `a MsgId that this sender has not used for 62 days; the first payment is unchanged; ${sameBytes}`,
    ofRepeat: true,
  },
  'acceptance-too-old': {
    isoCode: 'TM01',
    ruleId: 'TIM-4',
    checks: 'On a first submission, `AccptncDtTm` is at most 120 s old (set per source clearing system).',
    xpath: `${transaction}/AddtlDtTm/AccptncDtTm`,
    text: 'accepted too long ago',
    expected: 'a recent AccptncDtTm: submit a payment as soon as the debtor agent has accepted it',
  },
  'acceptance-ahead': {
    isoCode: 'TM01',
    ruleId: 'TIM-4',
    checks: 'On a first submission, `AccptncDtTm` is at most 10 s ahead.',
    xpath: `${transaction}/AddtlDtTm/AccptncDtTm`,
    text: 'accepted in the future',
    expected: 'the time at which the debtor agent accepted the payment: check its clock',
  },
  'judged-too-late': {
    isoCode: 'AB03',
    ruleId: 'TIM-4',
    checks: 'A message that arrived in time is judged before `AccptncDtTm` is too old.',
    fault: null,
    text: 'arrived in time, but the service could not judge it in time',
    expected: newPayment,
  },
  'deadline-past': {
    isoCode: 'TM01',
    ruleId: 'TIM-1',
    checks: 'A payment of priority HIGH is not past its deadline when it is submitted.',
    xpath: `${transaction}/AddtlDtTm/AccptncDtTm`,
    text: 'already past the deadline',
    expected: 'submission well before the deadline, or priority NORM',
  },
  'deadline-expired': {
    isoCode: 'AB03',
    ruleId: 'TIM-1',
    checks: 'A payment of priority HIGH has its final status before its deadline.',
    fault: null,
    text: 'no final status before the deadline',
    expected: newPayment,
  },
  'destination-unreachable': {
    isoCode: 'ED06',
    ruleId: 'TIM-3',
    checks: 'Within 60 s, at least one attempt to reach the destination may have been sent (NORM).',
    fault: null,
    text: 'destination system not reachable',
    expected: newPayment,
  },
  'assigner-not-member': {
    isoCode: 'AGNT',
    ruleId: 'RES-5',
    checks:
      'The asker (`Assgnr`, `FrstAgt`, `Cretr`) is a member of the submitting clearing system, or that system itself.',
    xpath: '/Document/IdVrfctnReq/Assgnmt/Assgnr',
    text: 'not a member of the submitting system',
    expected: 'your own clearing system, or an institution that is a member of it',
  },
  'assignee-country-missing': {
    isoCode: 'CH21',
    ruleId: 'RES-2',
    checks: 'A resolution request names the destination country.',
    xpath: '/Document/IdVrfctnReq/Assgnmt/Assgne/Agt/FinInstnId/PstlAdr/Ctry',
    fault: 'place-or-count',
    text: 'destination country missing',
    expected: 'the code of the destination country',
  },
  'assignee-country-unknown': {
    isoCode: 'AGNT',
    ruleId: 'RES-2',
    checks: 'The destination country of a resolution takes part in the service.',
    xpath: '/Document/IdVrfctnReq/Assgnmt/Assgne/Agt/FinInstnId/PstlAdr/Ctry',
    text: 'the country does not take part in the service',
    expected: 'a country that GET /countries lists',
  },
  'proxy-directory-missing': {
    isoCode: 'BE23',
    ruleId: 'RES-2',
    checks: 'The destination country of a proxy has a proxy directory.',
    xpath: '/Document/IdVrfctnReq/Vrfctn/PtyAndAcctId/Acct/Prxy',
    text: 'the country has no proxy directory',
    expected: 'an account (Id) and its agent instead: proxies of this country cannot be resolved',
  },
  'duplicate-request': {
    isoCode: 'DUPL',
    ruleId: 'DUP-2',
    checks: 'A sender does not reuse the message id of a resolution request for other content.',
    xpath: '/Document/IdVrfctnReq/Assgnmt/MsgId',
    text: 'already sent with other content; the first request stands',
    found: 'content that differs from the first request with this MsgId',
    expected:
      'a new MsgId; to get the answer to the first request, send exactly the same bytes again (DUP-1)',
    ofRepeat: true,
    event: { severity: 'security', kind: 'resolution.content-changed' },
  },
  'resolution-agent-not-onboarded': {
    isoCode: 'AGNT',
    ruleId: 'RES-2',
    checks: 'The creditor agent of a resolution is onboarded.',
    xpath: '/Document/IdVrfctnReq/Vrfctn/PtyAndAcctId/Agt',
    text: 'creditor agent not onboarded',
    expected: 'a PSP that GET /countries/{countryCode}/fin-insts/psp of the destination country lists',
  },
  'resolution-agent-unknown': {
    isoCode: 'RC07',
    ruleId: 'RES-2',
    checks: 'The creditor agent of a resolution is known and in the destination country.',
    xpath: '/Document/IdVrfctnReq/Vrfctn/PtyAndAcctId/Agt',
    text: 'creditor agent unknown',
    expected: 'a PSP that GET /countries/{countryCode}/fin-insts/psp of the destination country lists',
  },
  'resolution-not-supported': {
    isoCode: 'AB08',
    ruleId: 'RES-2',
    checks: 'The creditor agent of an account supports resolution requests.',
    xpath: '/Document/IdVrfctnReq/Vrfctn/PtyAndAcctId/Agt',
    text: 'creditor agent does not support resolution requests',
    expected: 'nothing else: this creditor agent does not confirm accounts',
  },
  'resolution-deadline': {
    isoCode: 'AB08',
    ruleId: 'RES-1',
    checks: 'A resolution is answered before its deadline.',
    fault: null,
    text: 'no answer before the deadline',
    expected: 'to try again, a new request with a new MsgId',
  },
  defect: {
    isoCode: 'NARR',
    ruleId: 'SEC-9',
    checks: 'The message can be judged.',
    fault: null,
    text: 'an error of ours prevented the judgement; we have been alerted',
    expected: 'nothing else: the fault is ours, not in the message',
    event: { severity: 'alert', kind: 'message.defect' },
  },
} as const satisfies Record<string, RejectionRow>;

export type RejectionKey = keyof typeof rejections;
