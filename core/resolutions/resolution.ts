/**
 * Who is asked to resolve a proxy or confirm an account, and what follows from a proxy directory's answer (RES-2). Pure
 * routing by reference data.
 */
import { identifyAgent, resolveAgent } from '../payments/agent.ts';
import { assert } from '../assert.ts';
import { isIdentifier } from '../ids.ts';
import { readable } from '../iso20022/lexical.ts';
import { refuseAssigner } from '../payments/assigner.ts';
import type { Acmt023 } from '../iso20022/acmt023.ts';
import type { Acmt024, KnownAccount } from '../iso20022/acmt024.ts';
import type { AccountIdentification, AgentIdentification } from '../iso20022/parties.ts';
import { trimmed } from '../iso20022/white-space.ts';
import { rejectionOf, type Violation } from '../iso20022/violation.ts';
import type { ClearingSystem, Institution, Operator, ReferenceData } from '../scheme/reference.ts';
import { reject, type Rejection } from '../rejections/rejection.ts';
import { ok, refused, type Result } from '../result.ts';

/** Who is asked next. */
export interface Enquiry {
  readonly of: 'directory' | 'creditor-agent';
  /** Payment system of the operator that it goes through. */
  readonly destination: ClearingSystem;
  readonly operator: Operator;
  readonly assignee: AgentIdentification;
  /** What a proxy directory found, about which the creditor agent is asked. */
  readonly found?: KnownAccount;
}

/** What follows from a true answer of a proxy directory; null: its answer is passed on. */
export type FollowUp = Result<Enquiry | null, Rejection>;

/**
 * Where a valid request goes first.
 * @param sourceSystem clearing system that submits it; undefined: any (a dry run without authentication)
 */
export function routeRequest(
  request: Acmt023,
  reference: ReferenceData,
  sourceSystem: string | undefined,
): Result<Enquiry, Rejection> {
  const foreign =
    sourceSystem === undefined ? undefined : refuseAssigner(request.request, sourceSystem, reference);
  if (foreign !== undefined) return refused(foreign);
  const { destinationCountry, account, creditorAgent: agent } = request;
  const systems = systemsOf(reference, destinationCountry);
  if (systems[0] === undefined) return refused(reject('assignee-country-unknown'));
  if (account.proxy !== undefined) {
    const directoryId = directoryOf(reference, destinationCountry, account.proxy.type);
    return directoryId === undefined
      ? refused(reject('proxy-directory-missing'))
      : ok(enquiryOf(reference, 'directory', systems[0], { otherId: directoryId }));
  }
  if (agent === undefined) {
    const where = '/Document/IdVrfctnReq/Vrfctn/PtyAndAcctId/Agt';
    const expected = 'the creditor agent, where an account is given and no proxy';
    const details = { text: 'creditor agent missing', found: 'nothing', expected };
    return refused(reject('element-missing', where, 'RES-2', details));
  }
  const creditorAgent = creditorAgentOf(agent, destinationCountry, reference);
  if (!creditorAgent.ok) return creditorAgent;
  const institution = creditorAgent.value;
  return institution.supportsAcmt023
    ? ok(enquiryOfAgent(reference, institution, systems))
    : refused(reject('resolution-not-supported'));
}

/** Whether the creditor agent of an account that a directory found must be asked too. */
export function followDirectory(request: Acmt023, answer: Acmt024, reference: ReferenceData): FollowUp {
  assert(answer.verified, 'only a true answer is followed up');
  const { destinationCountry } = request;
  const { account, agent = request.creditorAgent } = answer.found ?? {};
  if (agent === undefined) return refused(reject('resolution-agent-unknown'));
  const creditorAgent = creditorAgentOf(agent, destinationCountry, reference);
  if (!creditorAgent.ok) return creditorAgent;
  const institution = creditorAgent.value;
  const isKnown = isAskable(account, agent);
  if (!institution.supportsAcmt023 || !isKnown) return ok(null);
  const enquiry = enquiryOfAgent(reference, institution, systemsOf(reference, destinationCountry));
  return ok({ ...enquiry, found: { account, agent } });
}

/**
 * Whether a directory found an account, and an acmt.023 of ours can carry it: ISO 20022 takes more than our usage guideline. If not, the
 * directory's answer is all that there is.
 */
function isAskable(
  account: AccountIdentification | undefined,
  agent: AgentIdentification,
): account is AccountIdentification {
  const { iban, otherId, proxy } = account ?? {};
  const { memberId, otherId: agentId, name } = agent;
  const ids = [otherId, memberId?.memberId, memberId?.clearingSystemId, agentId];
  return (
    (iban !== undefined || otherId !== undefined) &&
    ids.every((id) => id === undefined || isIdentifier(id)) &&
    (otherId?.length ?? 0) <= maxAccountId &&
    [proxy?.id, name].every((text) => text === undefined || readable(text, maxProxyId) === text) &&
    (proxy?.type === undefined || /^[A-Z0-9]{4}$/.test(proxy.type))
  );
}

const maxAccountId = 34; // characters, as in ISO 20022
const maxProxyId = 320; // characters, as in the usage guideline

/** The rejection of a request that its schema refuses: a missing destination country has a rule of its own. */
export function requestRejectionOf(violation: Violation): Rejection {
  const { kind, xpath } = violation;
  const isCountry = /\/Assgne(\/Agt(\/FinInstnId(\/PstlAdr(\/Ctry)?)?)?)?$/.test(xpath);
  return kind === 'missing' && isCountry ? reject('assignee-country-missing', xpath) : rejectionOf(violation);
}

/**
 * Whether an answer is about the request that was sent.
 * @returns the name of the first id that does not match
 */
export function findRequestMismatch(
  answer: Acmt024,
  sent: { readonly messageIdentification: string; readonly verificationId: string },
): string | undefined {
  const { messageIdentification } = answer.original; // optional, as all of OrgnlAssgnmt
  if (messageIdentification !== undefined && trimmed(messageIdentification) !== sent.messageIdentification)
    return 'OrgnlAssgnmt/MsgId';
  return trimmed(answer.verificationId) === sent.verificationId ? undefined : 'OrgnlId';
}

/**
 * The reasons of RES-4.
 * @internal exported for tests
 */
export const passingReasons: ReadonlySet<string> = new Set([
  'AC01',
  'AC04',
  'AC06',
  'AGNT',
  'AB08',
  'BE23',
  'DUPL',
  'FRAD',
  'MD07',
  'RC06',
  'RC07',
  'RR01',
  'RR02',
]);

/** Whether the scheme lists a party's reason; others pass too, and are recorded. */
export function isListedReason(reasonCode: string): boolean {
  return passingReasons.has(reasonCode);
}

/** The payment systems of a country, in the order of their ids. */
function systemsOf(reference: ReferenceData, countryCode: string): readonly ClearingSystem[] {
  return [...reference.clearingSystems.values()]
    .filter((system) => system.countryCodes.includes(countryCode))
    .sort((one, other) => (one.clearingSystemId < other.clearingSystemId ? -1 : 1));
}

/** The country's proxy directory for that type of proxy, else its first one. */
function directoryOf(
  reference: ReferenceData,
  countryCode: string,
  proxyType: string | undefined,
): string | undefined {
  const types = [...reference.addressTypes.values()]
    .filter((type) => type.proxyDirectoryId !== null && type.countryCodes.includes(countryCode))
    .sort((one, other) => one.displayOrder - other.displayOrder);
  const type = types.find((one) => one.addressTypeCode === proxyType) ?? types[0];
  return type?.proxyDirectoryId ?? undefined;
}

/** Known, in that country, as a PSP, and onboarded. */
function creditorAgentOf(
  agent: AgentIdentification,
  countryCode: string,
  reference: ReferenceData,
): Result<Institution, Rejection> {
  const institution = systemsOf(reference, countryCode)
    .map((system) => resolveAgent(reference, agent, system.clearingSystemId))
    .find((one) => one !== undefined);
  const isKnown = institution?.countryCode === countryCode && institution.roles.includes('psp');
  if (!isKnown) return refused(reject('resolution-agent-unknown'));
  return institution.onboarded ? ok(institution) : refused(reject('resolution-agent-not-onboarded'));
}

/** Through the operator of the first of the country's systems that the agent is a member of. */
function enquiryOfAgent(
  reference: ReferenceData,
  institution: Institution,
  systems: readonly ClearingSystem[],
): Enquiry {
  const { memberships } = institution;
  const system =
    systems.find((one) => memberships.some((held) => held.clearingSystemId === one.clearingSystemId)) ??
    systems[0];
  assert(system !== undefined, 'a country of the service has a payment system');
  return enquiryOf(reference, 'creditor-agent', system, identifyAgent(institution, system.clearingSystemId));
}

function enquiryOf(
  reference: ReferenceData,
  of: Enquiry['of'],
  destination: ClearingSystem,
  assignee: AgentIdentification,
): Enquiry {
  const operator = reference.operators.get(destination.operatorId);
  assert(operator !== undefined, 'a clearing system has an operator');
  return { of, destination, operator, assignee };
}
