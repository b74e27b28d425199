// The payment's execution and its judgement (workflows/payment.ts, activities/payments/validate-payment.ts), and what works on a
// payment beside it (activities/sweep/). It holds nothing that the record does not; what it learns and orders is here.
// A request to cancel reaches none of it (workflows/shield.ts); it can be terminated or deleted at any moment, and
// begins again from the record, as one does that continues as new.
import { causeOnRecord } from '../../core/payments/decision.ts';
import { decides, firstFinal, isDeciding } from './deciding.ts';
import { recordAccepted, recordRejected, type Record } from './record.ts';
import { isBusy, isPastDeadline, statusOf, type Judging, type State } from './state.ts';
import type { Actor } from './step.ts';

/** A new execution, from the record (contract/starts.ts). */
export const started = {
  execution: 'judging',
  judging: 'asked',
  stage: '-',
} as const satisfies Partial<State>;

export const judges: Actor = (state, rules, go) => {
  const { judging, strayJudging } = state;
  if (judging === 'asked') {
    const read = isPastDeadline(state, rules) ? 'read late' : 'read';
    go('ours', 'judgement', 'reads what is on record', {
      judging: state.payment === 'none' ? read : standing(state),
    });
  } else if (judging !== '-')
    go('fault', 'judgement', 'is lost with its worker, and asked for again', { judging: 'asked' });
  const own = (next: Judging) => ({ judging: next });
  const stray = () => ({ strayJudging: '-' }) as const;
  for (const [actor, phase, to] of [
    ['judgement', judging, own],
    ['judgement that nobody waits for', strayJudging, stray],
  ] as const) {
    if (phase !== 'read' && phase !== 'read late') continue;
    const accepted = phase === 'read' ? recordAccepted(state, rules.mistake) : undefined;
    const rejected = recordRejected(state);
    if (accepted) go('ours', actor, 'accepts', { ...accepted, ...to('stands open') });
    if (rejected) go('ours', actor, 'rejects', { ...rejected, ...to('stands decided') });
    if (!accepted && !rejected) go('ours', actor, 'finds that its keys are taken', to('asked'));
  }
  if (strayJudging !== '-')
    go('fault', 'judgement that nobody waits for', 'is lost with its worker', stray());
  else if (judging === 'read' || judging === 'read late')
    go('fault', 'judgement', 'stands still, and is asked for again elsewhere', {
      judging: 'asked',
      strayJudging: judging,
    });
};

/** `standing()` of what is read. */
function standing({ status, marked }: Record): Judging {
  if (status !== '-') return 'stands decided';
  if (marked !== '-') return `stands ${marked}`;
  return 'stands open';
}

const actor = 'execution';

export const executions: Actor = (state, rules, go) => {
  const { execution, sending, straySending, judging, strayJudging } = state;
  if (execution === 'none') return;
  if (execution === 'judging') begin(state, rules, go);
  else if (execution === 'waiting') wait(state, rules, go);
  else if (sending === '-' && state.deciding.length === 0 && !isDue(state))
    go('ours', actor, 'ends', { execution: 'none' });
  const isSending = sending !== '-' && sending !== 'asked';
  if (isSending && straySending !== '-') return; // two at once are looked at: first one ends
  go('fault', actor, 'is terminated', {
    ...{
      execution: 'none',
      judging: '-',
      stage: '-',
      sending: '-',
    },
    straySending: isSending ? sending : straySending,
    strayJudging: judging === 'read' || judging === 'read late' ? judging : strayJudging,
  });
};

/** From the judgement to the first send (`untilKnown`, the head of `bringToDecision`). */
const begin: Actor = (state, rules, go) => {
  const { judging } = state;
  const waiting = { execution: 'waiting', judging: '-' } as const;
  if (judging === 'stands decided')
    go('ours', actor, 'learns the decision', { execution: 'telling', judging: '-' });
  else if (judging === 'stands open') {
    go('ours', actor, 'asks for the first send', { ...waiting, sending: 'asked' });
    if (state.attempted) go('ours', actor, 'waits for the final of a send before', waiting); // `isTaken`
  } else if (judging === 'stands A' || judging === 'stands B') {
    const cause = judging === 'stands A' ? 'A' : 'B';
    go('ours', actor, 'applies the stored final', decides(state, rules, { cause, inPlace: true }, waiting));
  }
};

/** Until the decision: the deadline (`untilDeadline`), or enquiries and doubt (`untilFinal`). */
const wait: Actor = (state, rules, go) => {
  const { sending, stage, time, status } = state;
  if (status !== '-' && state.deciding.length === 0) {
    go('ours', actor, 'learns the decision', { execution: 'telling', stage: '-' });
    return;
  }
  const cause = rules.priority === 'HIGH' ? 'deadline' : 'unreachable';
  if (status !== '-' || isDeciding(state, cause)) return; // what follows waits for it
  const again = sending === '-' ? ({ sending: 'asked' } as const) : {}; // one during a send joins it (DUP-1)
  if (sending === '-') go('choice', 'source', 'asks for the status, and the execution sends again', again);
  if (rules.priority === 'HIGH') {
    go('ours', actor, 'thinks that the deadline has come', decides(state, rules, { cause }));
    return;
  }
  const isDue = time > 0;
  const next = time === 2 ? 'last enquiry' : 'enquiry';
  const asks = () => decides(state, rules, { cause }, { stage: next });
  if (stage === '-' && isDue)
    go('ours', actor, `asks whether it may be rejected, before the ${next}`, asks());
  else if (stage === 'enquiry') go('ours', actor, 'makes an enquiry', { ...again, stage: '-' });
  else if (stage === 'last enquiry') go('ours', actor, 'makes the last enquiry', { ...again, stage: 'last' });
  else if (stage === 'last')
    go('ours', actor, 'reports that it is in doubt', { stage: 'in doubt', inDoubt: true });
};

/**
 * The sweep (LIF-2) and the watch over the deadlines, without their graces: as if everything had waited long enough.
 */
export const sweeps: Actor = (state, rules, go) => {
  const { mistake } = rules;
  const { execution, payment, status, stored, alerts } = state;
  const isIdle = state.deciding.length === 0;
  // somebody works on it, but so slowly that the sweep comes before
  const kind = isBusy(state) ? 'fault' : 'ours';
  const sweep = (does: string, changes: Partial<State> | undefined) => {
    if (mistake !== 'no sweep') go(kind, 'sweep', does, changes);
  };
  if (state.submitted && payment === 'none' && state.strayJudging === '-') {
    const strayJudging = isPastDeadline(state, rules) ? 'read late' : 'read';
    sweep('judges the submission itself', { strayJudging }); // what follows is started again from the record
  }
  if (payment === 'accepted' && !state.closed) {
    const first = mistake === 'the sweep looks for no stored finals' ? '-' : firstFinal(state);
    const isOverdue = isPastDeadline(state, rules);
    const cause = causeOnRecord({
      finalReportId: first === '-' ? null : first,
      hasOutcome: false,
      isOverdue,
    });
    if (cause && isIdle)
      sweep(
        'decides by the record',
        decides(state, rules, first === '-' ? { cause: 'deadline' } : { cause: first, inPlace: true }),
      );
    if (isOverdue && isIdle)
      go(kind, 'watch', 'finds a deadline past', decides(state, rules, { cause: 'deadline' }));
    if (execution === 'none') sweep('starts the execution again', started);
  }
  for (const report of ['A', 'B'] as const) {
    const isUntold =
      status !== '-' &&
      stored.includes(report) &&
      !alerts.includes(report) &&
      statusOf(state, report) !== status;
    if (isUntold && isIdle && mistake !== 'the sweep looks for no contradictions')
      sweep('takes up a contradiction', decides(state, rules, { cause: report, inPlace: true }));
  }
};

export const isDue = ({ callback, notification, confirmation }: Record): boolean =>
  callback === 'due' || notification === 'due' || confirmation === 'due' || confirmation === 'again';
