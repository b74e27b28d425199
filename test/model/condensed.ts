// Leaves out of a state what makes no difference to anything that can still happen, so that states which differ in
// nothing else are one. Each line says why; a model with a mistake in it keeps what the mistake may look at.
import { stillDeciding } from './deciding.ts';
import type { Mistake } from './mistakes.ts';
import type { Record } from './record.ts';
import type { Rules, Sending, State } from './state.ts';

/** A state in the making. */
export type Draft = { -readonly [Part in keyof State]: State[Part] };

const settled: ReadonlySet<Sending> = new Set(['-', 'asked']);

export function condense(draft: Draft, { mistake, priority }: Rules): State {
  if (draft.payment === 'none') return draft;
  // attempts that nobody will ever settle as NOT_SENT count as one
  const open = Number(!settled.has(draft.sending)) + Number(!settled.has(draft.straySending));
  draft.possiblySent = Math.max(0, Math.min(draft.possiblySent, open + 1)) as Record['possiblySent'];
  // the source has its answer, or will: from now on the same message again is an enquiry
  draft.submitting = false;
  draft.acknowledged = true;
  if (draft.status === '-' || (mistake !== undefined && !isOfSweep(mistake))) return draft;
  // what is left of the execution is to tell the parties, which the sweep sees to as well
  if (mistake === undefined) Object.assign(draft, noExecution);
  return condenseDecided(draft, priority);
}

const noExecution = { execution: 'none', judging: '-', stage: '-' } as const satisfies Partial<State>;
const isOfSweep = (mistake: Mistake) => mistake.includes('sweep');

function condenseDecided(draft: Draft, priority: Rules['priority']): State {
  // the instruction is closed: what is asked for may not be made, and only a withdrawal looks at its attempts
  if (draft.sending === 'asked') draft.sending = '-';
  const mayWithdraw = draft.decidedBy === 'deadline' && draft.confirmation === 'due' && draft.stored === '';
  if (!mayWithdraw) draft.possiblySent = 0;
  draft.marked = '-';
  draft.inDoubt = false;
  // only what has not left yet asks for the time
  const mayLeave = draft.sending === 'claimed' || draft.straySending === 'claimed';
  if (priority === 'NORM' || !mayLeave) draft.time = 1;
  // a destination that knows the decision keeps to it, however often it reads the instruction
  if (draft.confirmed !== '-') draft.copy = false;
  draft.deciding = stillDeciding(draft);
  return draft;
}
