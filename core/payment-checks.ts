/**
 * The checks of a pacs.008 that need reference data and the clock but no quote, in the order of PAY-3: usage guidelines,
 * freshness, agents. They look nothing up by themselves; what they find of the message's two ends is used further on.
 */
import { isMember, resolveAgent } from './agent.ts';
import type { Check, IsFit } from './check.ts';
import { amountsOf, pacs008Paths, type Pacs008 } from './iso20022/pacs008.ts';
import { sameAgent, type AgentIdentification } from './iso20022/parties.ts';
import { withoutPositions } from './iso20022/tree.ts';
import { fitsDecimalPlaces } from './money.ts';
import { clearingSystemsOf, type ClearingSystem, type Institution, type ReferenceData } from './reference.ts';
import { reject, type Rejection, type RejectionDetails } from './rejection.ts';

/** Who submits a message, and what is known of the world. */
export interface Submitted {
  readonly reference: ReferenceData;
  /** Clearing system of the submitter. */
  readonly submitter: string;
}

/** A submission at a moment. */
export interface SubmittedNow extends Submitted {
  /** Database clock, epoch milliseconds. */
  readonly now: number;
  /** When the submission was stored, database clock, epoch milliseconds; default: now. */
  readonly receivedAt?: number;
}

const maxAheadMs = 10_000; // TIM-4
const at = (path: string) => `${pacs008Paths.transaction}/${path}`;

/** What the message and reference data say of its two ends, before anything is judged. */
export interface Ends {
  readonly source: ClearingSystem | undefined;
  readonly debtorAgent: Institution | undefined;
  readonly creditorAgent: Institution | undefined;
  /** The destination system, when the creditor agent's country has one in the quoted currency. */
  readonly destination: ClearingSystem | undefined;
}

export function findEnds(message: Pacs008, { reference, submitter }: Submitted): Ends {
  const creditorAgent = resolveAgent(reference, message.creditorAgent);
  const destination =
    creditorAgent &&
    clearingSystemsOf(reference, creditorAgent.countryCode, message.agreedRate.quotedCurrency).find(
      (system) => isMember(creditorAgent, system.clearingSystemId) || !creditorAgent.onboarded,
    );
  return {
    source: reference.clearingSystems.get(submitter),
    debtorAgent: resolveAgent(reference, message.debtorAgent, submitter),
    creditorAgent,
    destination,
  };
}

/** A message with what is known of it and of the world, as the checks look at it. */
export interface Judged<Context> {
  readonly message: Pacs008;
  readonly context: Context;
  readonly ends: Ends;
}

/** MSG-4 to MSG-7: what the guidelines demand and only reference data can tell. */
export const guidelineChecks: readonly Check<Judged<Submitted>>[] = [
  {
    name: "the submitter's clearing system",
    ruleId: 'MSG-5',
    needs: [`${pacs008Paths.group}/SttlmInf/ClrSys`],
    run: checkClearingSystem,
  },
  {
    name: 'currency of the settlement amount',
    ruleId: 'MSG-4',
    needs: [at('IntrBkSttlmAmt')],
    run: checkSettlementCurrency,
  },
  { name: 'currencies and their decimals', ruleId: 'MON-2', needs: [], run: checkDecimals },
  {
    name: 'agent of the source PSP fee',
    ruleId: 'MSG-6',
    needs: ['ChrgsInf/Agt', 'DbtrAgt'].map(at),
    run: checkSourceCharge,
  },
  {
    name: 'agent of the creditor agent fee',
    ruleId: 'MSG-6',
    needs: ['ChrgsInf/Agt', 'CdtrAgt', 'AgrdRate/QtdCcy'].map(at),
    run: checkDestinationCharge,
  },
  {
    name: "currency of the creditor agent's country",
    ruleId: 'MSG-4',
    needs: ['CdtrAgt', 'AgrdRate/QtdCcy', 'ChrgsInf/Amt'].map(at),
    run: checkDestinationCurrency,
  },
  {
    name: 'what the destination country requires',
    ruleId: 'MSG-7',
    needs: [at('CdtrAgt')],
    run: checkRequiredElements,
  },
];

/** All that is judged before a quote is asked for, in the order of PAY-3. */
export const checksBeforeBinding: readonly Check<Judged<SubmittedNow>>[] = [
  ...guidelineChecks,
  { name: 'freshness', ruleId: 'TIM-4', needs: [at('AddtlDtTm')], run: checkFreshness },
  { name: 'debtor agent', ruleId: 'PAY-6', needs: [at('DbtrAgt')], run: checkDebtorAgent },
  {
    name: 'creditor agent',
    ruleId: 'PAY-6',
    needs: ['CdtrAgt', 'AgrdRate/QtdCcy', 'ChrgsInf/Amt'].map(at),
    run: checkCreditorAgent,
  },
];

function* checkClearingSystem({ message, context }: Judged<Submitted>): Iterable<Rejection> {
  const { submitter } = context;
  const details = { found: 'another clearing system', expected: submitter };
  if (message.clearingSystemId !== submitter) {
    yield reject('clearing-system-foreign', undefined, undefined, details);
  }
}

function* checkSettlementCurrency({ message, ends }: Judged<Submitted>): Iterable<Rejection> {
  const { currency: found } = message.interbankSettlementAmount;
  const expected = ends.source?.currencyCode;
  if (found !== expected) {
    const details = { found, expected: `${expected ?? 'the currency'} of the submitter's clearing system` };
    yield reject('currency-wrong', at('IntrBkSttlmAmt'), undefined, details);
  }
}

function* checkDecimals({ message, context }: Judged<Submitted>, isFit: IsFit): Iterable<Rejection> {
  for (const { amount, path } of amountsOf(message)) {
    if (!isFit(withoutPositions(at(path)))) continue;
    const currency = context.reference.currencies.get(amount.currency);
    if (currency === undefined) {
      const details = { found: amount.currency, expected: 'a currency of the service' };
      yield reject('currency-wrong', at(path), undefined, details);
    } else if (!fitsDecimalPlaces(amount.amount, currency.decimalPlaces)) {
      const most = `at most ${currency.decimalPlaces} decimals in ${amount.currency}`;
      const details = { text: most, found: amount.amount, expected: most };
      yield reject('too-many-decimals', at(path), 'MON-2', details);
    }
  }
}

/** MSG-6: the charges are those of the two PSPs, whatever identifiers they are named by. */
function* checkSourceCharge({ message, context, ends }: Judged<Submitted>): Iterable<Rejection> {
  const found = resolveAgent(context.reference, message.charges[0].agent, context.submitter);
  if (isSame(found, ends.debtorAgent, [message.charges[0].agent, message.debtorAgent])) return;
  yield reject('charges-agent-wrong', at('ChrgsInf[1]/Agt'), undefined, wrongAgent(found, 'DbtrAgt'));
}

function* checkDestinationCharge({ message, context, ends }: Judged<Submitted>): Iterable<Rejection> {
  const { clearingSystemId } = ends.destination ?? {};
  const found = resolveAgent(context.reference, message.charges[1].agent, clearingSystemId);
  if (isSame(found, ends.creditorAgent, [message.charges[1].agent, message.creditorAgent])) return;
  yield reject('charges-agent-wrong', at('ChrgsInf[2]/Agt'), undefined, wrongAgent(found, 'CdtrAgt'));
}

/** Of two that nobody knows, only what is written can tell; such a PSP itself is refused with the agents (PAY-6). */
function isSame(
  found: Institution | undefined,
  psp: Institution | undefined,
  written: readonly [AgentIdentification, AgentIdentification],
): boolean {
  return found === undefined && psp === undefined ? sameAgent(...written) === true : found === psp;
}

function wrongAgent(found: Institution | undefined, element: string): RejectionDetails {
  const what = found === undefined ? 'an institution that the service does not know' : 'another institution';
  return { found: what, expected: `the institution that ${element} names, by any identifier of it` };
}

function* checkDestinationCurrency({ message, context, ends }: Judged<Submitted>): Iterable<Rejection> {
  const { creditorAgent } = ends;
  if (creditorAgent === undefined) return; // RC07 comes with the agents
  const { quotedCurrency: found } = message.agreedRate;
  if (clearingSystemsOf(context.reference, creditorAgent.countryCode, found).length > 0) return;
  const details = {
    found,
    expected: `a currency of ${creditorAgent.countryCode}, where the creditor agent is`,
  };
  yield reject('currency-wrong', at('AgrdRate/QtdCcy'), undefined, details);
}

function* checkRequiredElements({ message, context, ends }: Judged<Submitted>): Iterable<Rejection> {
  const { creditorAgent } = ends;
  if (creditorAgent === undefined) return; // RC07 comes with the agents
  const { countryCode } = creditorAgent;
  const required = context.reference.countries.get(countryCode)?.requiredPacs008Elements ?? [];
  const missing = (path: string, what: string) => {
    const details = { found: 'nothing', expected: `${what}, which ${countryCode} requires` };
    return reject('required-by-destination', at(path), undefined, details);
  };
  if (required.includes('purposeCode') && message.purpose === undefined) {
    yield missing('Purp/Cd', 'a purpose code');
  }
  if (required.includes('categoryPurposeCode') && message.categoryPurpose === undefined) {
    yield missing('PmtTpInf/CtgyPurp/Cd', 'a category purpose code');
  }
}

/** TIM-4, and TIM-1 for a HIGH payment: what came in time, and was judged too late by us, is no fault of its sender. */
function* checkFreshness({ message, context, ends }: Judged<SubmittedNow>): Iterable<Rejection> {
  const { now, receivedAt = now } = context;
  const { text, epochMs: acceptedAt } = message.acceptanceDateTime;
  const maxAgeMs = (ends.source?.maxAcceptanceAgeSeconds ?? 0) * 1_000;
  const deadlineAt = deadlineOf(message, ends.destination);
  const since = { found: `${text}, ${seconds(receivedAt - acceptedAt)} ago` };
  if (receivedAt - acceptedAt > maxAgeMs) {
    yield reject('acceptance-too-old', undefined, undefined, {
      ...since,
      expected: `at most ${seconds(maxAgeMs)} ago when it is first submitted`,
    });
  } else if (now - acceptedAt > maxAgeMs) yield reject('judged-too-late');
  if (acceptedAt - receivedAt > maxAheadMs) {
    const found = `${text}, ${seconds(acceptedAt - receivedAt)} ahead`;
    yield reject('acceptance-ahead', undefined, undefined, {
      found,
      expected: `at most ${seconds(maxAheadMs)} ahead`,
    });
  }
  if (deadlineAt === null || now < deadlineAt) return;
  if (receivedAt < deadlineAt) yield reject('deadline-expired');
  else {
    const expected = `less than ${seconds(deadlineAt - acceptedAt)} ago for priority HIGH`;
    yield reject('deadline-past', undefined, undefined, { ...since, expected });
  }
}

const seconds = (ms: number) => `${Math.floor(ms / 1_000)} s`;

/** Epoch milliseconds by which a HIGH payment must be final; null for NORM (TIM-1). */
export function deadlineOf(message: Pacs008, destination: ClearingSystem | undefined): number | null {
  return message.priority === 'HIGH' && destination !== undefined
    ? message.acceptanceDateTime.epochMs + destination.maxExecutionSeconds * 1_000
    : null;
}

/** PAY-6. */
function* checkDebtorAgent({ context, ends }: Judged<Submitted>): Iterable<Rejection> {
  const { debtorAgent } = ends;
  const isMemberHere =
    debtorAgent?.onboarded === true &&
    debtorAgent.roles.includes('psp') &&
    isMember(debtorAgent, context.submitter);
  if (!isMemberHere) yield reject('debtor-agent-not-member');
}

/** PAY-6. */
function* checkCreditorAgent({ ends }: Judged<Submitted>): Iterable<Rejection> {
  const { creditorAgent, destination } = ends;
  if (creditorAgent?.roles.includes('psp') !== true) yield reject('creditor-agent-unknown');
  else if (!creditorAgent.onboarded || destination === undefined) {
    yield reject('creditor-agent-not-onboarded');
  }
}
