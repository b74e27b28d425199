// What must hold in every state and step of a payment, by the names of docs/reference/invariants.md and rules.md.
import { isFinal } from '../../core/payments/report.ts';
import { isDue } from './executing.ts';
import { isBusy, isPastDeadline, statusOf, type Rules, type State } from './state.ts';

/** True where it holds. */
type Law = (before: State, after: State, rules: Rules) => boolean;

const laws = Object.entries<Law>({
  'PAY-2: nothing is answered 200 before it is stored': (_, { acknowledged, submitted }) =>
    !acknowledged || submitted,
  'I-2: the destination sees one distinct instruction': (_, { seen }) => seen !== 3,
  'I-3: the source is told one final, and it is the decision': (_, { told, status }) =>
    told === '-' || told === status,
  'I-4: what was decided is what the destination did': (_, after) => isTrue(after),
  'I-5: one fxtr.017 for a payment that is credited, none otherwise': (_, { status, notices, notified }) =>
    notices === (status === 'ACCC' ? 1 : 0) && notified <= 1,
  'I-8: a final is never changed': (before, after) => before.status === '-' || !isDecided(before, after),
  'I-8: no send is claimed after the decision': (before, after) =>
    before.status === '-' || !isMade(before, after, 'claimed'),
  'I-18: a final that was stored before decides': (before, after) =>
    before.status !== '-' ||
    before.stored === '' ||
    after.status === '-' ||
    after.decidedBy === before.stored[0],
  'I-19: nothing leaves for the destination after the deadline': (before, after, rules) =>
    !isPastDeadline(before, rules) || !isMade(before, after, 'sent'),
  'PAY-9: the destination is told the decision': (_, { confirmed, status }) =>
    confirmed === '-' || confirmed === status,
  'TIM-1: the deadline decides once it is past, and HIGH only': (before, after, rules) =>
    after.decidedBy !== 'deadline' || !isDecided(before, after) || isPastDeadline(before, rules),
  'TIM-3: ED06 only for NORM, after 60 s and an attempt': (before, after, { priority }) =>
    after.decidedBy !== 'unreachable' ||
    !isDecided(before, after) ||
    (priority === 'NORM' && before.time > 0 && before.attempted),
  'TIM-3: no byte ever leaves of what is rejected by ED06': (_, { decidedBy, left }) =>
    decidedBy !== 'unreachable' || !left,
});

const isDecided = (before: State, after: State) =>
  before.status !== after.status || before.decidedBy !== after.decidedBy;

const isMade = (before: State, after: State, phase: 'claimed' | 'sent') =>
  (after.sending === phase && before.sending === (phase === 'sent' ? 'claimed' : 'asked')) ||
  (phase === 'sent' && after.straySending === phase && before.straySending === 'claimed');

/** I-4; of a destination that contradicts itself, what it said first counts (PAY-7). */
function isTrue({ status, decidedBy, booked, confirmation, confirmed, lied, seen }: State): boolean {
  switch (decidedBy) {
    case '-':
      return true;
    case 'validation':
    case 'unreachable':
      return seen === 0;
    case 'deadline': // the one exception: what it has credited, or may have, it reverses once it is told
      return seen === 0 || confirmed === 'RJCT' || (confirmation !== 'none' && confirmation !== 'delivered');
    case 'A':
    case 'B':
      return (isFinal(booked) && (booked === status || lied)) || (lied && booked === 'reversed');
  }
}

/** The first law that a step breaks. */
export function breachOf(before: State, after: State, rules: Rules): string | undefined {
  return laws.find(([, holds]) => !holds(before, after, rules))?.[0];
}

/** What `stuck` looks for. */
export const healing =
  'I-15: with the faults over, what is owed leads to one final that every party knows, or to doubt';

/**
 * Everything is over, and every party knows one final; or it is in doubt, and an operator knows (I-1, I-4, I-15, I-17).
 */
export function isGood(state: State): boolean {
  const { status, stored, booked, confirmed, confirmation, callback, execution } = state;
  if (isBusy(state) || isDue(state)) return false;
  if (status === '-') return state.inDoubt && stored === '' && execution === 'waiting';
  const isDead = confirmation === 'dead';
  return (
    (callback === 'dead' || state.told === status) &&
    (state.notification !== 'delivered' || state.notified > 0) &&
    (state.seen === 0 || confirmed === status || isDead) &&
    (state.lied || isDead || status !== 'RJCT' || booked !== 'ACCC') &&
    (['A', 'B'] as const).every(
      (one) => !stored.includes(one) || statusOf(state, one) === status || state.alerts.includes(one),
    ) &&
    execution === 'none'
  );
}
