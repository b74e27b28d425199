/**
 * The checks of a pacs.008 that need reference data and the clock but no quote, in the order of PAY-3: usage guidelines,
 * freshness, agents. They look nothing up by themselves; what they find of the message's two ends is used further on.
 */
import { isMember, resolveAgent } from './agent.ts';
import { amountsOf, pacs008Paths, type Pacs008 } from './iso20022/pacs008.ts';
import { sameAgent, type AgentIdentification } from './iso20022/parties.ts';
import { fitsDecimalPlaces } from './money.ts';
import { clearingSystemsOf, type ClearingSystem, type Institution, type ReferenceData } from './reference.ts';
import { reject, type Rejection } from './rejection.ts';

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

/** What is judged before a quote is asked for, in the order of PAY-3; each check tells all that it refuses. */
export function* checksBeforeBinding(
  message: Pacs008,
  context: SubmittedNow,
  ends: Ends,
): Iterable<Rejection> {
  yield* checkGuidelines(message, context, ends);
  yield* checkFreshness(message, context, ends);
  yield* checkAgents(message, context, ends);
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

/** MSG-2, MSG-4 to MSG-7: what the guidelines demand and only reference data can tell. */
export function* checkGuidelines(message: Pacs008, context: Submitted, ends: Ends): Iterable<Rejection> {
  const { reference, submitter } = context;
  if (message.clearingSystemId !== submitter) yield reject('clearing-system-foreign');
  if (message.interbankSettlementAmount.currency !== ends.source?.currencyCode) {
    yield reject('currency-wrong', at('IntrBkSttlmAmt'));
  }
  for (const { amount, path } of amountsOf(message)) {
    const currency = reference.currencies.get(amount.currency);
    if (currency === undefined) yield reject('currency-wrong', at(path));
    else if (!fitsDecimalPlaces(amount.amount, currency.decimalPlaces)) {
      yield reject('too-many-decimals', at(path), 'MON-2');
    }
  }
  yield* checkChargeAgents(message, context, ends);
  const { creditorAgent } = ends;
  if (creditorAgent === undefined) return; // RC07 comes with the agents
  const { quotedCurrency } = message.agreedRate;
  if (clearingSystemsOf(reference, creditorAgent.countryCode, quotedCurrency).length === 0) {
    yield reject('currency-wrong', at('AgrdRate/QtdCcy'));
  }
  const required = reference.countries.get(creditorAgent.countryCode)?.requiredPacs008Elements ?? [];
  if (required.includes('purposeCode') && message.purpose === undefined) {
    yield reject('required-by-destination', at('Purp/Cd'));
  }
  if (required.includes('categoryPurposeCode') && message.categoryPurpose === undefined) {
    yield reject('required-by-destination', at('PmtTpInf/CtgyPurp/Cd'));
  }
}

/** MSG-6: the charges are those of the two PSPs, whatever identifiers they are named by. */
function* checkChargeAgents(
  message: Pacs008,
  { reference, submitter }: Submitted,
  ends: Ends,
): Iterable<Rejection> {
  const { charges, debtorAgent, creditorAgent } = message;
  const names = (
    agent: AgentIdentification,
    psp: AgentIdentification,
    institution: Institution | undefined,
    systemId: string | undefined,
  ) => {
    const found = resolveAgent(reference, agent, systemId);
    // of two that nobody knows, only what is written can tell; the PSP itself is refused with the agents (PAY-6)
    return found === undefined && institution === undefined
      ? sameAgent(agent, psp) === true
      : found === institution;
  };
  if (!names(charges[0].agent, debtorAgent, ends.debtorAgent, submitter)) {
    yield reject('charges-agent-wrong', at('ChrgsInf[1]/Agt'));
  }
  if (!names(charges[1].agent, creditorAgent, ends.creditorAgent, ends.destination?.clearingSystemId)) {
    yield reject('charges-agent-wrong', at('ChrgsInf[2]/Agt'));
  }
}

/** TIM-4, and TIM-1 for a HIGH payment that comes after its own deadline. */
function* checkFreshness(message: Pacs008, { now }: SubmittedNow, ends: Ends): Iterable<Rejection> {
  const acceptedAt = message.acceptanceDateTime.epochMs;
  const maxAgeMs = (ends.source?.maxAcceptanceAgeSeconds ?? 0) * 1_000;
  if (now - acceptedAt > maxAgeMs) yield reject('acceptance-too-old');
  if (acceptedAt - now > maxAheadMs) yield reject('acceptance-ahead');
  const deadlineAt = deadlineOf(message, ends.destination);
  if (deadlineAt !== null && now >= deadlineAt) yield reject('deadline-past');
}

/** Epoch milliseconds by which a HIGH payment must be final; null for NORM (TIM-1). */
export function deadlineOf(message: Pacs008, destination: ClearingSystem | undefined): number | null {
  return message.priority === 'HIGH' && destination !== undefined
    ? message.acceptanceDateTime.epochMs + destination.maxExecutionSeconds * 1_000
    : null;
}

/** PAY-6. */
function* checkAgents(_message: Pacs008, { submitter }: Submitted, ends: Ends): Iterable<Rejection> {
  const { debtorAgent, creditorAgent, destination } = ends;
  const isDebtorMember =
    debtorAgent?.onboarded === true && debtorAgent.roles.includes('psp') && isMember(debtorAgent, submitter);
  if (!isDebtorMember) yield reject('debtor-agent-not-member');
  if (creditorAgent?.roles.includes('psp') !== true) yield reject('creditor-agent-unknown');
  else if (!creditorAgent.onboarded || destination === undefined)
    yield reject('creditor-agent-not-onboarded');
}
