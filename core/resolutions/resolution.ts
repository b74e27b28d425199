/**
 * Routes a resolution: it chooses the party to ask first, and the step after a proxy directory's answer
 * (RES-2). Pure; it uses only reference data.
 */
import { identifyAgent, resolveAgent } from '../payments/agent.ts';
import { assert } from '../assert.ts';
import { isIdentifier } from '../ids.ts';
import { readable } from '../iso20022/lexical.ts';
import { refuseAssigner } from './assigner.ts';
import type { Acmt023 } from '../iso20022/acmt023.ts';
import type { Acmt024, KnownAccount } from '../iso20022/acmt024.ts';
import type { AccountIdentification, AgentIdentification } from '../iso20022/parties.ts';
import { rejectionOf, type Violation } from '../iso20022/violation.ts';
import type { ClearingSystem, Institution, Operator, ReferenceData } from '../scheme/reference.ts';
import { reject, type Rejection } from '../rejections/rejection.ts';
import { ok, refused, type Result } from '../result.ts';
import { trimmed } from '../iso20022/tree.ts';

/** The party to ask next. */
export interface Enquiry {
  readonly of: 'directory' | 'creditor-agent';
  /** Payment system whose operator passes the enquiry on. */
  readonly destination: ClearingSystem;
  readonly operator: Operator;
  readonly assignee: AgentIdentification;
  /** The account that a proxy directory found. The gateway asks the creditor agent about it. */
  readonly found?: KnownAccount;
}

/** The step after a proxy directory answered `true`: another enquiry, or null to pass the answer on. */
export type FollowUp = Result<Enquiry | null, Rejection>;

/**
 * Finds the party that a valid request is sent to first.
 * @param sourceSystem the submitting clearing system; undefined (any) in a dry run without authentication
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

/** Decides whether the creditor agent of an account that a directory found must be asked too. */
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
 * Whether the gateway's acmt.023 can carry the account that a directory found. The gateway's usage guideline
 * is stricter than ISO 20022. If it cannot, the gateway passes on the directory's answer without another
 * enquiry.
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

const maxAccountId = 34; // characters, by ISO 20022
const maxProxyId = 320; // characters, by the usage guideline

/**
 * The rejection of a request that violates its schema. A missing destination country has its own row in the
 * rejection table.
 */
export function requestRejectionOf(violation: Violation): Rejection {
  const { kind, xpath } = violation;
  const isCountry = /\/Assgne(\/Agt(\/FinInstnId(\/PstlAdr(\/Ctry)?)?)?)?$/.test(xpath);
  return kind === 'missing' && isCountry ? reject('assignee-country-missing', xpath) : rejectionOf(violation);
}

/**
 * Checks that an answer is about the request that was sent.
 * @returns the name of the first id that differs; undefined if none does
 */
export function findRequestMismatch(
  answer: Acmt024,
  sent: { readonly messageIdentification: string; readonly verificationId: string },
): string | undefined {
  const { messageIdentification } = answer.original; // optional, like all of OrgnlAssgnmt
  if (messageIdentification !== undefined && trimmed(messageIdentification) !== sent.messageIdentification)
    return 'OrgnlAssgnmt/MsgId';
  return trimmed(answer.verificationId) === sent.verificationId ? undefined : 'OrgnlId';
}

/**
 * The reason codes of RES-4.
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

/**
 * Whether the scheme lists a party's reason code. The gateway passes on other codes too, but records them.
 */
export function isListedReason(reasonCode: string): boolean {
  return passingReasons.has(reasonCode);
}

/** The payment systems of a country, sorted by id. */
function systemsOf(reference: ReferenceData, countryCode: string): readonly ClearingSystem[] {
  return [...reference.clearingSystems.values()]
    .filter((system) => system.countryCodes.includes(countryCode))
    .sort((one, other) => (one.clearingSystemId < other.clearingSystemId ? -1 : 1));
}

/** The country's proxy directory for this type of proxy; its first directory if no type matches. */
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

/** Finds the creditor agent, which must be an onboarded PSP in the country. */
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

/** Sends the enquiry through the operator of the country's first payment system to which the agent belongs. */
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
