// Sends of the instruction (activities/payments/forward-payment.ts, send.ts, exchange.ts): the intent, the bytes, the answer,
// what is stored of it, the outcome on record. A worker may be lost between any two of them, or stand still while the
// engine has the send made again elsewhere. What is in memory only, and lost alike whenever the worker is, is no step
// of its own.
import { retryDelayMs } from '../../core/deliveries/delivery-schedule.ts';
import { finalStatuses, isFinal } from '../../core/payments/report.ts';
import { sendPolicies } from '../../activities/deliveries/send-policies.ts';
import { decides } from './deciding.ts';
import {
  askConfirmation,
  claimInstruction,
  recordContradiction,
  recordReport,
  settleInstruction,
  withdrawConfirmation,
} from './record.ts';
import { isPastDeadline, statusOf, type Rules, type Sending, type State } from './state.ts';
import type { Actor, Go } from './step.ts';

/** The send that the execution waits for, or the one that nobody waits for any longer. */
interface Send {
  readonly isOwn: boolean;
  readonly phase: Sending;
  readonly actor: string;
  readonly to: (next: Sending, changes?: Partial<State>) => Partial<State>;
}

export const senders: Actor = (state, rules, go) => {
  const own = (sending: Sending, changes?: Partial<State>) => ({ ...changes, sending });
  const stray = (next: Sending, changes?: Partial<State>) => ({
    ...changes,
    straySending: next === 'asked' ? ('-' as const) : next, // nobody asks for it again
  });
  const sends: readonly Send[] = [
    { isOwn: true, phase: state.sending, actor: 'send', to: own },
    { isOwn: false, phase: state.straySending, actor: 'send that nobody waits for', to: stray },
  ];
  for (const one of sends) {
    if (one.phase === '-') continue;
    travel(state, rules, one, go);
    take(state, rules, one, go);
    lose(state, one, go);
  }
};

/** What a destination may answer over HTTP, beside a final; whether it counts is by the code's own row. */
const otherAnswers = [
  { status: 200, isInterim: true },
  { status: 202, isInterim: false },
  { status: 503, isInterim: false },
  { status: 200, isInterim: false }, // no pacs.002 that could be about ours
];
const { isReceipt, serverErrorIs } = sendPolicies.instruction;
const whetherTheyCount = new Set(
  otherAnswers.map(({ status, isInterim }) => isReceipt(status, false) || isInterim),
);

/** Until the destination has answered, or has not. */
function travel(state: State, rules: Rules, send: Send, go: Go): void {
  const { phase, actor, to } = send;
  const isPast = isPastDeadline(state, rules);
  const { mistake } = rules;
  switch (phase) {
    case 'asked': {
      const claimed = claimInstruction(state, isPast, mistake);
      if (claimed === undefined) go('ours', actor, 'may not be made any longer', to('-'));
      else go('ours', actor, 'is claimed', to('claimed', claimed));
      break;
    }
    case 'claimed': {
      // `sendBefore` (exchange.ts)
      const mayLeave = !isPast || mistake === 'sends without looking at the deadline';
      if (mayLeave) go('ours', actor, 'lets the bytes leave', to('sent', { left: true }));
      const unsent = settleInstruction(state, 'NOT_SENT', mistake);
      const withdrawn = withdrawConfirmation({ ...state, ...unsent }, mistake);
      const does = 'finds no connection: NOT_SENT';
      follow(state, rules, send, { does, changes: { ...unsent, ...withdrawn } }, go);
      go('fault', actor, 'settles as NOT_SENT, and is lost with its worker', to('asked', unsent));
      break;
    }
    case 'sent':
      settle(state, rules, send, { does: 'has no answer', counts: false, also: { copy: true } }, go);
      break;
    case 'read':
      for (const counts of whetherTheyCount) {
        const does = counts ? 'is answered 202, or ACWP' : 'is answered 503, or nothing that counts';
        settle(state, rules, send, { does, counts }, go);
      }
      for (const booked of saying(state, rules)) {
        const next = state.status === '-' ? 'noted' : 'noted late';
        go('owed', actor, `is answered ${booked}, and reads the payment`, to(next, { booked }));
      }
      break;
    case '-':
    case 'noted':
    case 'stored':
    case 'noted late':
    case 'stored late':
    case 'compares':
      break; // see take
  }
}

/** What a destination does at the latest when it says so. */
export function saying({ booked }: State, { says = finalStatuses }: Rules): readonly State['booked'][] {
  if (booked === 'holds') return says;
  return isFinal(booked) || booked === 'reversed' ? [booked] : [];
}

/** A final that came in the HTTP answer (`readAnswer`, `takeReport`). */
function take(state: State, rules: Rules, send: Send, go: Go): void {
  const { phase, actor, to, isOwn } = send;
  const stored = () => recordReport(state, 'A', rules.mistake);
  const settled = () => settleInstruction(state, 'ANSWERED', rules.mistake);
  switch (phase) {
    case 'noted':
      go('ours', actor, 'stores the final', to('stored', stored()));
      break;
    case 'stored': {
      const done = to('-', settled());
      const call = isOwn ? decides(state, rules, { cause: 'A', inPlace: true }, done) : done;
      go('ours', actor, 'settles, and brings the final to the execution', call);
      go('fault', actor, 'settles, and is lost with its worker', to('asked', settled()));
      break;
    }
    case 'noted late':
      go('ours', actor, 'stores the late final', to('stored late', stored()));
      break;
    case 'stored late': {
      const asked = askConfirmation(state);
      if (statusOf(state, 'A') !== state.status)
        go('ours', actor, 'asks for the confirmation', to('compares', asked));
      else go('ours', actor, 'asks for the confirmation, and settles', to('-', { ...asked, ...settled() }));
      break;
    }
    case 'compares':
      go(
        'ours',
        actor,
        'records the contradiction, and settles',
        to('-', { ...recordContradiction(state, 'A'), ...settled() }),
      );
      break;
    case '-':
    case 'asked':
    case 'claimed':
    case 'sent':
    case 'read':
      break; // see travel
  }
}

interface Outcome {
  readonly does: string;
  /** Whether the answer is one: taken, final to come. */
  readonly counts: boolean;
  readonly also?: Partial<State>;
}

/** The outcome on record, and what follows from it. */
function settle(state: State, rules: Rules, send: Send, { does, counts, also }: Outcome, go: Go): void {
  const { actor, to } = send;
  const outcome = counts ? 'ANSWERED' : serverErrorIs; // as of no answer at all
  const changes = { ...also, ...settleInstruction(state, outcome, rules.mistake) };
  if (!counts) follow(state, rules, send, { does: `${does}: MAYBE_SENT`, changes }, go);
  else {
    go('owed', actor, `${does}: the final comes later`, to('-', changes));
    go('fault', actor, `${does}, settles, and is lost with its worker`, to('asked', changes));
  }
}

/** After how many sends of a round another follows, and after how many none does (TIM-3). */
const isLastOfRound = new Set([1, 2, 3, 4].map((sends) => retryDelayMs(sends) === undefined));

/**
 * Another send, or the end of the round: then a NORM payment may be rejected (`sendInstruction`, workflows/payment.ts).
 */
function follow(
  state: State,
  rules: Rules,
  { actor, to, isOwn }: Send,
  { does, changes }: { readonly does: string; readonly changes: Partial<State> },
  go: Go,
): void {
  if (isLastOfRound.has(false)) go('owed', actor, `${does}, and is made again`, to('asked', changes));
  if (!isLastOfRound.has(true) || !isOwn) return;
  const mayReject = rules.priority === 'NORM';
  const done = to('-', changes);
  const call = mayReject ? decides(state, rules, { cause: 'unreachable' }, done) : done;
  go('owed', actor, `${does}, and ends its round`, call);
}

/** Its worker is lost, and the engine has the send made again; or stands still, and both go on. */
function lose(state: State, { isOwn, phase, actor, to }: Send, go: Go): void {
  if (phase === 'asked') return;
  go('fault', actor, 'is lost with its worker', to('asked', phase === 'sent' ? { copy: true } : {}));
  if (isOwn && phase !== '-' && state.straySending === '-')
    go('fault', actor, 'stands still, and is made again elsewhere', {
      straySending: phase,
      sending: 'asked',
    });
}
