/**
 * Checks that the charges name the two PSPs, by any identifiers. If the agent of a charge would be acceptable
 * in place of a refused PSP, only the PSP is reported.
 */
import { mayBeCreditorAgent, mayBeDebtorAgent, resolveAgent, unknownInstitution } from '../payments/agent.ts';
import type { Check } from '../rejections/check.ts';
import type { Judged, SubmissionContext } from '../scheme/ends.ts';
import { refusedItself } from '../rejections/hindrances.ts';
import { inTransaction } from '../iso20022/pacs008.ts';
import { sameAgent, type AgentIdentification } from '../iso20022/parties.ts';
import type { Institution } from '../scheme/reference.ts';
import { reject, type Rejection } from '../rejections/rejection.ts';

/** A PSP of the message and the agent of its charges. */
interface Pair {
  readonly element: 'DbtrAgt' | 'CdtrAgt';
  readonly psp: Institution | undefined;
  readonly charging: Institution | undefined;
  readonly written: readonly [charging: AgentIdentification, psp: AgentIdentification];
  readonly mayStandThere: (one: Institution | undefined) => boolean;
}

function atSource({ message, context, ends }: Judged<SubmissionContext>): Pair {
  const { agent } = message.charges[0];
  return {
    element: 'DbtrAgt',
    psp: ends.debtorAgent,
    charging: resolveAgent(context.reference, agent, context.sourceSystem),
    written: [agent, message.debtorAgent],
    mayStandThere: (one) => mayBeDebtorAgent(one, context.sourceSystem),
  };
}

function atDestination({ message, context, ends }: Judged<SubmissionContext>): Pair {
  const { agent } = message.charges[1];
  return {
    element: 'CdtrAgt',
    psp: ends.creditorAgent,
    charging: resolveAgent(context.reference, agent, ends.destination?.clearingSystemId),
    written: [agent, message.creditorAgent],
    mayStandThere: mayBeCreditorAgent,
  };
}

/**
 * Whether the agent checks refuse the PSP anyway. If so, its mismatch with the charges is no separate fault.
 */
const isPspAtFault = ({ psp, charging, mayStandThere }: Pair) =>
  psp !== charging && !mayStandThere(psp) && mayStandThere(charging);

/** Whether both are the same institution. If both are unknown, it compares the identifiers as written. */
const isSame = ({ psp, charging, written }: Pair) =>
  charging === undefined && psp === undefined ? sameAgent(...written) === true : charging === psp;

function* judge(pair: Pair, path: string): Iterable<Rejection> {
  if (isSame(pair) || isPspAtFault(pair)) return;
  const found = pair.charging === undefined ? unknownInstitution : 'another institution';
  const expected = `the institution in ${pair.element}, by any of its identifiers`;
  yield reject('charges-agent-wrong', inTransaction(path), undefined, { found, expected });
}

const hinderedBy = (pair: Pair) => (isPspAtFault(pair) ? refusedItself(pair.element) : undefined);

export const chargeChecks: readonly Check<Judged<SubmissionContext>>[] = [
  {
    name: 'agent of the source PSP fee',
    ruleId: 'MSG-6',
    needs: ['ChrgsInf/Agt', 'DbtrAgt'].map(inTransaction),
    hindered: (judged) => hinderedBy(atSource(judged)),
    run: (judged) => judge(atSource(judged), 'ChrgsInf[1]/Agt'),
  },
  {
    name: 'agent of the creditor agent fee',
    ruleId: 'MSG-6',
    needs: ['ChrgsInf/Agt', 'CdtrAgt', 'AgrdRate/QtdCcy'].map(inTransaction),
    hindered: (judged) => hinderedBy(atDestination(judged)),
    run: (judged) => judge(atDestination(judged), 'ChrgsInf[2]/Agt'),
  },
];
