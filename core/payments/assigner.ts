/**
 * Whether a request to resolve is made in the name of its submitter only (RES-5): the asker learns names and accounts.
 * This file identifies the asker; what is asked, and of whom, is in core/resolutions/resolution.ts.
 */
import { isMember, resolveAgent } from './agent.ts';
import { readAgent, type AgentIdentification } from '../iso20022/parties.ts';
import { childrenNamed, elementAt, textAt, type XmlElement } from '../iso20022/tree.ts';
import type { ReferenceData } from '../scheme/reference.ts';
import { reject, type Rejection } from '../rejections/rejection.ts';

/**
 * Whom an identification names, from the submitter's point of view: itself or a member, another party, nobody we know.
 */
type Standing = 'own' | 'other' | 'unknown';

/**
 * Checks every element of the assignment that says who asks: creator, first agent and assigner. An agent must belong to
 * the submitter, and so must an assigner that is a party; a creator that is a party may be a customer, but not
 * another's institution.
 * @param request `IdVrfctnReq`, valid by its schema
 * @param sourceSystem clearing system that submits it
 */
export function refuseAssigner(
  request: XmlElement,
  sourceSystem: string,
  reference: ReferenceData,
): Rejection | undefined {
  const standing = (agent: AgentIdentification) => standingOf(agent, sourceSystem, reference);
  for (const path of ['Cretr/Agt', 'FrstAgt', 'Assgnr/Agt']) {
    const agent = readAgent(elementAt(request, `Assgnmt/${path}`));
    if (agent !== undefined && standing(agent) !== 'own') return refuse(path);
  }
  for (const path of ['Cretr/Pty', 'Assgnr/Pty']) {
    const party = elementAt(request, `Assgnmt/${path}`);
    const standings = party === undefined ? [] : identificationsOf(party).map(standing);
    const mustBeOwn = party !== undefined && path.startsWith('Assgnr');
    if (standings.includes('other') || (mustBeOwn && !standings.includes('own'))) return refuse(path);
  }
  return undefined;
}

function refuse(path: string): Rejection {
  return reject('assigner-not-member', `/Document/IdVrfctnReq/Assgnmt/${path}`);
}

function standingOf(agent: AgentIdentification, sourceSystem: string, reference: ReferenceData): Standing {
  const { bicfi, lei, memberId, otherId } = agent;
  const hasOnlyOtherId = otherId !== undefined && (bicfi ?? lei ?? memberId) === undefined;
  if (hasOnlyOtherId) {
    const named = [...reference.clearingSystems.values()].filter(
      (system) => system.clearingSystemId === otherId || system.operatorId === otherId,
    );
    if (named.some((system) => system.clearingSystemId === sourceSystem)) return 'own';
    if (named.length > 0) return 'other';
  }
  const institution = resolveAgent(reference, agent, sourceSystem);
  if (institution === undefined) return 'unknown';
  return isMember(institution, sourceSystem) ? 'own' : 'other';
}

/** Each identifier of an organisation separately. */
function identificationsOf(party: XmlElement): readonly AgentIdentification[] {
  const organisation = elementAt(party, 'Id/OrgId');
  if (organisation === undefined) return [];
  const [bicfi, lei] = [textAt(organisation, 'AnyBIC'), textAt(organisation, 'LEI')];
  const others = childrenNamed(organisation, 'Othr').map((other) => textAt(other, 'Id'));
  return [
    ...(bicfi === undefined ? [] : [{ bicfi }]),
    ...(lei === undefined ? [] : [{ lei }]),
    ...others.flatMap((otherId) => (otherId === undefined ? [] : [{ otherId }])),
  ];
}
