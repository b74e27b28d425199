/**
 * Looks up the institutions that messages name, and identifies institutions in the gateway's messages. It
 * also decides which institutions may be agents of a payment; the checks of the payment write the texts of
 * rejections.
 */
import { readAgent, type AgentIdentification } from '../iso20022/parties.ts';
import { elementAt, type XmlElement } from '../iso20022/tree.ts';
import { findInstitution, keyOf, type Institution, type ReferenceData } from '../scheme/reference.ts';

/**
 * The institution that a message names. A BIC or member id must be known: an unknown BIC beside a known LEI
 * would send the money to the owner of that BIC. An LEI may be unknown if the reference data has no LEI for
 * the institution. An other id may be unknown if a better identifier is given. No identifier may name another
 * institution.
 * @param clearingSystemId the system of a member id, if the message does not state one
 * @returns undefined if no known identifier is given, or two identifiers contradict each other
 */
export function resolveAgent(
  data: ReferenceData,
  agent: AgentIdentification,
  clearingSystemId?: string,
): Institution | undefined {
  const { bicfi, lei, otherId, memberId } = agent;
  const byLei = lei === undefined ? undefined : findInstitution(data, 'LEI', lei);
  const byOtherId = otherId === undefined ? undefined : findInstitution(data, 'otherId', otherId);
  const routed: (Institution | undefined)[] = [];
  if (bicfi !== undefined) routed.push(findInstitution(data, 'BICFI', bicfi));
  if (memberId !== undefined) {
    const system = memberId.clearingSystemId ?? clearingSystemId ?? '';
    routed.push(data.institutionsByMembership.get(keyOf(system, memberId.memberId)));
  }
  const institution = routed.length > 0 ? routed[0] : (byLei ?? byOtherId);
  if (institution === undefined || routed.some((one) => one !== institution)) return undefined;
  if (byOtherId !== undefined && byOtherId !== institution) return undefined;
  const isLeiInOrder =
    byLei === undefined ? lei === undefined || institution.lei === null : byLei === institution;
  return isLeiInOrder ? institution : undefined;
}

/** Rejections show this text if {@link resolveAgent} finds no institution. */
export const unknownInstitution = 'an institution that the service does not know';

/**
 * Identifies an institution in the gateway's messages: by BIC, else by LEI, else by member id in the payment
 * system, else by other id.
 */
export function identifyAgent(institution: Institution, clearingSystemId?: string): AgentIdentification {
  const [bicfi] = institution.bics;
  if (bicfi !== undefined) return { bicfi };
  if (institution.lei !== null) return { lei: institution.lei };
  const membership = institution.memberships.find((one) => one.clearingSystemId === clearingSystemId);
  if (membership !== undefined) return { memberId: membership };
  return { otherId: institution.otherIds[0] ?? institution.institutionId };
}

export function isMember(institution: Institution, clearingSystemId: string): boolean {
  return institution.memberships.some((one) => one.clearingSystemId === clearingSystemId);
}

/** Whether an institution is a PSP that takes part in the service. */
export const isOnboardedPsp = ({ onboarded, roles }: Institution) => onboarded && roles.includes('psp');

/** Whether an institution may be the debtor agent of a submission. */
export function mayBeDebtorAgent(one: Institution | undefined, sourceSystem: string): boolean {
  return one !== undefined && isOnboardedPsp(one) && isMember(one, sourceSystem);
}

/** Whether an institution may be the creditor agent, provided that it is a member of the destination system. */
export const mayBeCreditorAgent = (one: Institution | undefined) => one !== undefined && isOnboardedPsp(one);

/**
 * The debtor agent that a pacs.008 claims, read before any check, because that agent may see rejected payments too.
 * Null unless it is a member of the submitting system: a message may name institutions that have nothing to do with it.
 */
export function claimedDebtorAgent(
  data: ReferenceData,
  document: XmlElement,
  sourceSystem: string,
): Institution | null {
  const agent = readAgent(elementAt(document, 'FIToFICstmrCdtTrf/CdtTrfTxInf/DbtrAgt'));
  const institution = agent && resolveAgent(data, agent, sourceSystem);
  return institution !== undefined && isMember(institution, sourceSystem) ? institution : null;
}
