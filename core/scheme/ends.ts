/**
 * Finds the two ends of a pacs.008, its source and its destination, from the message and reference data,
 * before any check. All checks of `payment-checks.ts` use them.
 */
import { isMember, resolveAgent } from '../payments/agent.ts';
import type { Pacs008 } from '../iso20022/pacs008.ts';
import type { AgentIdentification } from '../iso20022/parties.ts';
import {
  clearingSystemsOf,
  currenciesOf,
  type ClearingSystem,
  type Institution,
  type ReferenceData,
} from './reference.ts';

/** The submitter of a message, and the reference data. */
export interface SubmissionContext {
  readonly reference: ReferenceData;
  /** Clearing system of the submitter. */
  readonly sourceSystem: string;
}

/** A submission with the time of its judgement. */
export interface SubmissionNow extends SubmissionContext {
  /** Database clock, epoch milliseconds. */
  readonly now: number;
  /** When the submission was stored, by the database clock, in epoch milliseconds; `now` if absent. */
  readonly storedAt?: number;
  /** Keys that the record already uses. Absent in a dry run, which does not read the record. */
  readonly recorded?: RecordedKeys;
}

export interface Ends {
  readonly source: ClearingSystem | undefined;
  readonly debtorAgent: Institution | undefined;
  readonly creditorAgent: Institution | undefined;
  /**
   * Whether `ChrgsInf[2]` and the currencies agree on another country than the creditor agent's. It is then unclear
   * which country the sender meant.
   */
  readonly isContradicted: boolean;
  /** Currencies of the creditor agent's country, in the order of reference data; empty if the country is unknown. */
  readonly destinationCurrencies: readonly string[];
  /** The currency that the message states, or the country's only one. */
  readonly destinationCurrency: string | undefined;
  /**
   * The creditor agent's payment system in that currency. If the agent is not onboarded, any system of its country in
   * that currency.
   */
  readonly destination: ClearingSystem | undefined;
}

/** The input of a check: a message with its context. */
export interface Judged<Context> {
  readonly message: Pacs008;
  readonly context: Context;
  readonly ends: Ends;
}

export function findEnds(message: Pacs008, { reference, sourceSystem }: SubmissionContext): Ends {
  const resolve = (agent: AgentIdentification, clearingSystemId?: string) =>
    resolveAgent(reference, agent, clearingSystemId);
  const debtorAgent = resolve(message.debtorAgent, sourceSystem);
  const creditorAgent = resolve(message.creditorAgent);
  const chargesAgent = resolve(message.charges[1].agent);
  const { quotedCurrency } = message.agreedRate;
  const isPlace = ({ countryCode }: Institution) =>
    clearingSystemsOf(reference, countryCode, quotedCurrency).length > 0;
  const isContradicted =
    creditorAgent !== undefined &&
    chargesAgent !== undefined &&
    isPlace(chargesAgent) &&
    !isPlace(creditorAgent);
  const destinationCurrencies =
    creditorAgent === undefined || isContradicted ? [] : currenciesOf(reference, creditorAgent.countryCode);
  const [only, ...others] = destinationCurrencies;
  const destinationCurrency =
    [quotedCurrency, message.charges[1].currency].find((one) => destinationCurrencies.includes(one)) ??
    (others.length === 0 ? only : undefined);
  const destination =
    creditorAgent && destinationCurrency !== undefined
      ? clearingSystemsOf(reference, creditorAgent.countryCode, destinationCurrency).find(
          (system) => isMember(creditorAgent, system.clearingSystemId) || !creditorAgent.onboarded,
        )
      : undefined;
  return {
    source: reference.clearingSystems.get(sourceSystem),
    debtorAgent,
    creditorAgent,
    isContradicted,
    destinationCurrencies,
    destinationCurrency,
    destination,
  };
}

/** The number of days for which a sender's MsgId counts as used. */
export const messageIdsCountForDays = 62;

/** Keys of a submission that other messages on record already use. */
export interface RecordedKeys {
  /** The payment with the same UETR. */
  readonly payment: { readonly sourceSystem: string; readonly messageIdentification: string } | undefined;
  /** UETR of another payment with the same sender and MsgId in the last 62 days. */
  readonly messageIdHeldBy: string | undefined;
}
