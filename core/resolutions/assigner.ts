/**
 * Checks that a submitter asks for a resolution only in its own name (RES-5), because the answer reveals
 * names and accounts. core/resolutions/resolution.ts reads the question and chooses the party to ask.
 */
import { isMember, resolveAgent } from '../payments/agent.ts';
import { readAgent, type AgentIdentification } from '../iso20022/parties.ts';
import { childrenNamed, elementAt, textAt, type XmlElement } from '../iso20022/tree.ts';
import type { ReferenceData } from '../scheme/reference.ts';
import { reject, type Rejection } from '../rejections/rejection.ts';

/**
 * How a party relates to the submitter: it is the submitter itself or its member, another party, or unknown.
 */
type Standing = 'own' | 'other' | 'unknown';

/**
 * Checks every element of the assignment that names the party that asks: creator, first agent and assigner.
 * An agent must belong to the submitter, and so must an assigner that is given as a party. A creator that is
 * given as a party may be a customer, but not an institution of another submitter.
 * @param request `IdVrfctnReq`, valid by its schema
 * @param sourceSystem the submitting clearing system
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

/** The identifiers of an organisation, each as a separate identification. */
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
