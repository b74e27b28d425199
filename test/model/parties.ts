// The source, the destination and the FX provider, and how what they send is taken in and what is due is brought to
// them (api/payments/iso20022.ts, db/payments/submissions.ts, db/payments/reports.ts, activities/deliveries/deliver.ts). A destination books an instruction
// once, books none that it was told is rejected, reverses one that it credited and is told is rejected, and repeats a
// report at our address until it is answered.
import { nextAttempt } from '../../core/deliveries/delivery-schedule.ts';
import { isFinal, type FinalStatus } from '../../core/payments/report.ts';
import { decides } from './deciding.ts';
import { started } from './executing.ts';
import { askCallback, askDeadConfirmation, recordContradiction, recordReport } from './record.ts';
import { saying } from './sending.ts';
import { isBusy, statusOf, type Rules, type State } from './state.ts';
import type { Actor, Go } from './step.ts';

/** The source is told a final: the same one, always. */
const told = (state: State, status: FinalStatus): Partial<State> => ({
  told: state.told === '-' || state.told === status ? status : 'two',
});

export const source: Actor = (state, { mistake }, go) => {
  const { submitting, payment, status, execution } = state;
  const api = 'submission';
  const begun = execution === 'none' ? started : {};
  if (payment === 'none') {
    const kind = state.submitted ? 'choice' : 'owed';
    if (!submitting) go(kind, 'source', 'sends its pacs.008', { submitting: true, submitted: true });
    else {
      go('ours', api, 'is brought to the execution', { submitting: false, ...begun });
      go('fault', api, 'is lost with its api', { submitting: false });
    }
    if (mistake === 'answers before anything is stored')
      go('ours', api, 'is answered', { acknowledged: true });
  } else if (status === '-') {
    // from here on the same message again is an enquiry (DUP-1); the rest of it is in executing.ts
    if (execution === 'none') go('choice', 'source', 'asks for the status', begun);
  } else if (!isBusy(state)) go('choice', 'source', 'asks for the status', askCallback(state)); // see deliveries
};

export const destination: Actor = (state, rules, go) => {
  const seen = (state.seen | (1 << (state.instructions - 1))) as State['seen'];
  const booked = state.booked !== '-' ? state.booked : state.confirmed !== '-' ? state.confirmed : 'holds';
  const reads = (next: Partial<State>) =>
    go('owed', 'destination', 'reads the instruction', { ...next, seen, booked });
  if (state.sending === 'sent') reads({ sending: 'read' });
  if (state.straySending === 'sent') reads({ straySending: 'read' });
  if (state.copy) {
    reads({ copy: false });
    go('owed', 'network', 'loses a copy', { copy: false });
  }
  if (state.confirmed === '-' && state.reporting === '-') {
    const phase = state.status === '-' ? 'noted' : 'noted late';
    for (const booked of saying(state, rules)) {
      // it repeats what it has no answer to; whether it goes on once the report is stored, nothing may rest on
      const kind = state.reported && !state.stored.includes('A') ? 'owed' : 'choice';
      go(kind, 'destination', `reports ${booked}`, { reported: true, reporting: `A ${phase}`, booked });
    }
    if (rules.mayLie && isFinal(state.booked))
      go(
        state.lied && !state.stored.includes('B') ? 'owed' : 'choice',
        'destination',
        'reports the contrary',
        {
          lied: true,
          reporting: `B ${phase}`,
        },
      );
  }
  report(state, rules, go);
};

/** A report at our own address. */
function report(state: State, rules: Rules, go: Go): void {
  const { reporting, status, confirmed } = state;
  if (reporting === '-') {
    // one that was brought to the execution waits there for the decision
    const isWaiting =
      (state.reported && state.stored.includes('A')) || (state.lied && state.stored.includes('B'));
    if (isWaiting && status !== '-' && confirmed === '-')
      go('ours', 'report', 'is answered with the decision', heard(state, status));
    return;
  }
  const which = reporting.startsWith('A') ? 'A' : 'B';
  const actor = `report ${which}`;
  go('fault', actor, 'is lost with its api', { reporting: '-' });
  switch (reporting) {
    case 'A noted':
    case 'B noted':
      go('ours', actor, 'is stored', {
        ...recordReport(state, which, rules.mistake),
        reporting: `${which} stored`,
      });
      break;
    case 'A stored':
    case 'B stored': {
      const begun = { reporting: '-', ...(state.execution === 'none' && started) } as const;
      go('ours', actor, 'is brought to the execution', decides(state, rules, { cause: which }, begun));
      break;
    }
    case 'A noted late':
    case 'B noted late':
      go('ours', actor, 'is stored late', {
        ...recordReport(state, which, rules.mistake),
        reporting: `${which} stored late`,
      });
      break;
    case 'A stored late':
    case 'B stored late': {
      const contradiction = statusOf(state, which) === status ? {} : recordContradiction(state, which);
      go('ours', actor, 'is compared, and answered with the decision', {
        reporting: '-',
        ...contradiction,
        ...askDeadConfirmation(state),
        ...heard(state, status),
      });
      break;
    }
  }
}

/** The destination learns the decision. */
function heard({ booked }: State, status: State['status']): Partial<State> {
  if (status !== 'RJCT') return { confirmed: status };
  return { confirmed: status, booked: booked === 'ACCC' ? 'reversed' : booked === 'holds' ? 'RJCT' : booked };
}

const isGivenUp = (httpStatus: number) =>
  nextAttempt({ attempts: 1, elapsedMs: 0, httpStatus, retryAfterMs: null, random: 0 }).kind === 'closed';
const isGone = isGivenUp(410) && !isGivenUp(503);

export const deliveries: Actor = (state, { mistake }, go) => {
  const { callback, notification, confirmation, status, execution } = state;
  if (status === '-') return;
  // the execution brings what is due, or one that the sweep starts (workflows/redelivery.ts)
  const isSwept = mistake !== 'no sweep' && mistake !== 'the sweep looks for no deliveries';
  if (execution !== 'telling' && !isSwept) return;
  if (confirmation === 'due' || confirmation === 'again') {
    go('owed', 'confirmation', 'is taken', { ...heard(state, status), confirmation: 'delivered' });
    go('fault', 'confirmation', 'is taken, and its worker lost', {
      ...heard(state, status),
      confirmation: 'again',
    });
    go('fault', 'confirmation', 'is not taken', { confirmation: 'again' });
    if (isGone) go('fault', 'confirmation', 'is refused for good', { confirmation: 'dead' });
  }
  // Callback and fxtr.017 are rows that nothing else reads, of a decision that never changes (I-8): when they are
  // brought makes no difference, so it is shown once, when nothing else is under way, and one after the other.
  if (isBusy(state)) return;
  if (callback === 'due') {
    go('owed', 'callback', 'is taken', { ...told(state, status), callback: 'delivered' });
    go('fault', 'callback', 'is taken, and its worker lost', told(state, status));
    if (isGone) go('fault', 'callback', 'is refused for good', { callback: 'dead' });
  } else if (notification === 'due') {
    const notified = (state.notified | (1 << (state.notices - 1))) as State['notified'];
    go('owed', 'fxtr.017', 'is taken', { notified, notification: 'delivered' });
    go('fault', 'fxtr.017', 'is taken, and its worker lost', { notified });
    if (isGone) go('fault', 'fxtr.017', 'is refused for good', { notification: 'dead' });
  }
};

export const clock: Actor = ({ time, submitted, payment }, { priority }, go) => {
  if (priority === 'HIGH') {
    if (submitted && time === 0) go('owed', 'clock', 'passes the deadline', { time: 1 });
  } else if (payment === 'accepted' && time < 2)
    go('owed', 'clock', time === 0 ? 'passes 60 s' : 'passes 24 h', { time: time === 0 ? 1 : 2 });
};
