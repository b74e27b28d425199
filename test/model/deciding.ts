// The calls of decidePayment, by whomever: read the payment, write the decision or find the one that stands, compare
// (activities/payments/decide-payment.ts, db/payments/decisions.ts, db/payments/reports.ts). What decides and who is told is core's own rule. A
// call begins with its first read: before that it is not yet there, and lost alike.
import { assert } from '../../core/assert.ts';
import {
  decisionBy,
  untilDecidableMs,
  type DecisionCause,
  type DecisionFacts,
} from '../../core/payments/decision.ts';
import { endingBy } from '../../core/payments/payment-states.ts';
import {
  askConfirmation,
  recordContradiction,
  recordDecision,
  type NewDecision,
  type Record,
  type Report,
} from './record.ts';
import { isPastDeadline, statusOf, type Rules, type State } from './state.ts';
import type { Actor } from './step.ts';

type Cause = Report | 'deadline' | 'unreachable';

/** A call of decidePayment. */
interface Call {
  readonly cause: Cause;
  /** Whether its report came in an HTTP answer. */
  readonly inPlace: boolean;
}

interface Deciding extends Call {
  /** Read as undecided, with this as its first final; or as decided: to be confirmed, to be compared. */
  readonly phase: 'read -' | 'read A' | 'read B' | 'confirms' | 'compares';
}

const all: Deciding[] = [];
const ids = new Map<string, number>();

/** One small number for calls that are alike. */
function idOf({ cause, inPlace }: Call, phase: Deciding['phase']): number {
  const name = `${cause} ${String(inPlace)} ${phase}`;
  const known = ids.get(name);
  if (known !== undefined) return known;
  ids.set(name, all.length);
  return all.push({ cause, inPlace, phase }) - 1;
}

const mostAtOnce = 2; // each is a read and a write, and two of them meet in every order

type Ids = State['deciding'];

const poolOf = (...list: Ids): Pick<State, 'deciding'> => ({
  deciding: list.length < 2 ? list : list.toSorted((one, other) => one - other),
});

/**
 * Begins another call, unless as many as are looked at are under way: then later. Whether the execution waits for it,
 * the sweep or the watch makes no difference to what it does: the execution learns of the decision in any case.
 * @param changes made in the same step, which the call sees
 */
export function decides(
  state: State,
  rules: Rules,
  { cause, inPlace = false }: { readonly cause: Cause; readonly inPlace?: boolean },
  changes: Partial<State> = {},
): Partial<State> | undefined {
  if (state.deciding.length >= mostAtOnce) return undefined;
  return { ...changes, ...read({ ...state, ...changes }, rules, { cause, inPlace }, state.deciding) };
}

export function isDeciding({ deciding }: State, cause: Cause): boolean {
  return deciding.some((id) => all[id]!.cause === cause);
}

export const deciders: Actor = (state, rules, go) => {
  state.deciding.forEach((id, index) => {
    if (index > 0 && state.deciding[index - 1] === id) return; // alike
    const { phase, ...call } = all[id]!;
    const others = state.deciding.filter((_, other) => other !== index);
    const { cause } = call;
    const actor = `decision by ${cause}`;
    switch (phase) {
      case 'read -':
      case 'read A':
      case 'read B':
        go('ours', actor, ...write(state, rules, all[id]!, others));
        break;
      case 'confirms':
        go('ours', actor, 'asks for the confirmation', compare(state, call, others, askConfirmation(state)));
        break;
      case 'compares': {
        const effect = recordContradiction(state, reportOf(cause)!);
        go('ours', actor, 'records the contradiction', { ...effect, deciding: others });
        break;
      }
    }
    go('fault', actor, 'is lost', { deciding: others });
    go('fault', actor, 'is lost, and called again', read(state, rules, call, others));
    const again = others.length + 1 < mostAtOnce ? read(state, rules, call, [...others, id]) : undefined;
    go('fault', actor, 'stands still, and is called again elsewhere', again);
  });
};

/** Of the calls when a decision stands: those that still have something to write. */
export function stillDeciding(state: State): Ids {
  if (state.deciding.length === 0) return state.deciding;
  const left = state.deciding.flatMap((id) => {
    const { phase, ...call } = all[id]!;
    if (phase === 'confirms' || phase === 'compares') return [id];
    return standing(state, call, []).deciding ?? [];
  });
  return poolOf(...left).deciding;
}

const reportOf = (cause: Cause): Report | undefined => (cause === 'A' || cause === 'B' ? cause : undefined);

/** `load_decidable`: the decision that stands, or the final that is marked. */
function read(state: State, rules: Rules, call: Call, others: Ids): Partial<State> {
  const { cause } = call;
  if (state.status !== '-') return standing(state, call, others);
  const first = rules.mistake === 'a stored final is not looked at' ? '-' : firstFinal(state);
  const isTooEarly =
    cause === 'deadline' &&
    rules.mistake !== "the deadline by the engine's clock" &&
    untilDecidableMs(knownOf(state, rules, { first, report: null }), { by: 'deadline' }) > 0;
  return isTooEarly ? { deciding: others } : poolOf(...others, idOf(call, `read ${first}`));
}

/**
 * A decision stands (`standing`, activities/payments/decide-payment.ts): a report that came in place is confirmed, and each is
 * compared.
 */
function standing(state: State, call: Call, others: Ids): Partial<State> {
  if (reportOf(call.cause) === undefined || !call.inPlace) return compare(state, call, others);
  return poolOf(...others, idOf(call, 'confirms'));
}

/** The destination's first final that was stored while the payment was undecided. */
export const firstFinal = ({ marked }: Record): Report | '-' => marked;

/** `takeLateFinal` and `recordContradiction`, which writes nothing where the report says what was decided. */
function compare(state: State, call: Call, others: Ids, effect: Partial<Record> = {}): Partial<State> {
  const report = reportOf(call.cause);
  const status = effect.status ?? state.status;
  return report !== undefined && statusOf(state, report) !== status
    ? { ...effect, ...poolOf(...others, idOf(call, 'compares')) }
    : { ...effect, deciding: others };
}

/** `recordDecision`; where it may not be written, the payment is read again. */
function write(state: State, rules: Rules, deciding: Deciding, others: Ids): [string, Partial<State>] {
  const { mistake } = rules;
  const due = dueDecision(state, rules, deciding);
  const passed = { deadline: isPastDeadline(state, rules), minute: state.time > 0 };
  const effect = recordDecision(state, due, passed, mistake);
  if (effect?.status !== undefined)
    return [`writes ${effect.status}`, compare(state, deciding, others, effect)];
  const second = { notices: 2, notification: 'due' } as const;
  const after = {
    ...effect,
    ...(mistake === 'a second fxtr.017' && effect && due.tellsFxProvider && second),
  };
  const now = { ...state, ...after };
  const isOver = deciding.cause === 'unreachable' && now.status === '-' && now.stored === '';
  const next = isOver ? { deciding: others } : read(now, rules, deciding, others);
  return ['finds that it may not be written', { ...after, ...next }];
}

const deadlineAt = 0; // any: what counts is on which side of it the database clock is

function knownOf(
  state: State,
  rules: Rules,
  { first, report }: { readonly first: Report | '-'; readonly report: Report | null },
): DecisionFacts {
  const stored = (one: Report) => ({ messageId: one, status: statusOf(state, one), reasonCode: null });
  return {
    report: report && stored(report),
    firstFinal: first === '-' ? null : stored(first),
    outcome: null, // operators decide only what has been in doubt for a day (test/api/operations/recorded-outcomes.test.ts)
    deadlineAt: rules.priority === 'HIGH' ? deadlineAt : null,
    now: isPastDeadline(state, rules) ? deadlineAt : deadlineAt - 1,
  };
}

const made = new Map<string, NewDecision>(); // core is asked once for each combination

function dueDecision(state: State, rules: Rules, { cause, inPlace, phase }: Deciding): NewDecision {
  const report = reportOf(cause);
  const isLast = rules.mistake === 'the last final wins' && report !== undefined;
  const first = isLast ? report : phase === 'read A' ? 'A' : phase === 'read B' ? 'B' : '-';
  const name = `${cause} ${String(inPlace)} ${first} ${state.booked}`;
  const known = made.get(name);
  if (known !== undefined) return known;
  const by: DecisionCause =
    report === undefined
      ? { by: cause === 'deadline' ? 'deadline' : 'unreachable' }
      : { by: 'destination', reportMessageId: report, wantsConfirmation: inPlace };
  const due = decisionBy(by, knownOf(state, rules, { first, report: report ?? null }));
  const decider = due.report === null ? cause : due.report.messageId === 'B' ? 'B' : 'A';
  const { ruleId = null } = due.rejection ?? {};
  const change = endingBy(true, { ...due, by: due.decidedBy, ruleId, priority: rules.priority });
  assert(change !== undefined, 'core decides as its own table has it');
  const { tells } = change;
  const decision = {
    ...{ status: due.status, by: decider, onlyIf: due.onlyIf },
    tellsDestination: due.sendsConfirmation && tells.includes('confirmation'),
    tellsFxProvider: tells.includes('notification'),
  };
  made.set(name, decision);
  return decision;
}
