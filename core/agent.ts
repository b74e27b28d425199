/**
 * Institutions as messages name them, looked up in reference data, and named back.
 * Whether an institution may take part is decided by the checks of the payment, not here.
 */
import type { AgentIdentification } from './iso20022/parties.ts';
import { findInstitution, keyOf, type Institution, type ReferenceData } from './reference.ts';

/**
 * The institution that a message names. Every identifier that we know must name the same one.
 * @param clearingSystemId where a member id is one of, when the message does not say
 * @returns undefined when no identifier is known, or two contradict each other
 */
export function resolveAgent(
  data: ReferenceData,
  agent: AgentIdentification,
  clearingSystemId?: string,
): Institution | undefined {
  const found = new Set<Institution>();
  const add = (institution: Institution | undefined) => institution && found.add(institution);
  if (agent.bicfi !== undefined) add(findInstitution(data, 'BICFI', agent.bicfi));
  if (agent.lei !== undefined) add(findInstitution(data, 'LEI', agent.lei));
  if (agent.otherId !== undefined) add(findInstitution(data, 'otherId', agent.otherId));
  const system = agent.memberId?.clearingSystemId ?? clearingSystemId;
  if (agent.memberId !== undefined && system !== undefined) {
    add(data.institutionsByMembership.get(keyOf(system, agent.memberId.memberId)));
  }
  const [institution, contradiction] = found;
  return contradiction === undefined ? institution : undefined;
}

/** How we name an institution in a message: by BIC, else by LEI, else by its id in the payment system, else by other id. */
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
