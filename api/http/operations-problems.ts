// What operators are refused: alerts, redeliveries, pauses, books, outcomes. Part of the one table, problems.ts.
import type { ProblemRow } from './problem-row.ts';

export const operationsProblems = {
  'unknown-alert': {
    status: 404,
    title: 'Unknown alert',
    ruleId: 'OBS-6',
    detail: 'There is no such alert. GET /alerts?state=open,taken,closed lists them all.',
  },
  'alert-closed': {
    status: 409,
    title: 'Alert is closed',
    ruleId: 'OBS-6',
    detail: 'Somebody has closed it: to take care of it again, reopen it first.',
  },
  'alert-not-closed': {
    status: 409,
    title: 'Alert is not closed',
    ruleId: 'OBS-6',
    detail: 'There is nothing to reopen.',
  },
  'alert-kinds': {
    status: 409,
    title: 'It is not clear which alerts are over',
    ruleId: 'OBS-6',
    detail: 'It is not said which of them are over: name their kinds, or all of them.',
  },
  'alerts-unseen': {
    status: 409,
    title: 'It is not clear which alerts somebody has looked at',
    ruleId: 'OBS-6',
    detail: 'Name the last alert that you have looked at: one that came meanwhile stays open.',
  },
  'already-taken': {
    status: 409,
    title: 'Already taken',
    ruleId: 'OBS-6',
    detail: 'Somebody else takes care of it.',
  },
  'nothing-to-deliver': {
    status: 409,
    title: 'Nothing to deliver',
    ruleId: 'CBK-1',
    detail: 'It has no such delivery: GET /payments/{uetr} lists those that it has.',
  },
  'not-judged-yet': {
    status: 409,
    title: 'Not judged yet',
    ruleId: 'PAY-2',
    detail:
      'The payment is stored and not judged yet: it may still go out, so nobody may pay again. GET /payments/{uetr} shows it as RCVD.',
  },
  'payment-decided': {
    status: 409,
    title: 'Payment has its final status',
    ruleId: 'PAY-10',
    detail: 'The payment has its final status.',
  },
  'deadline-past': {
    status: 409,
    title: 'Deadline is past',
    ruleId: 'TIM-1',
    detail: 'Nothing is sent of a HIGH payment past its deadline: it is being decided.',
  },
  'unknown-party': {
    status: 404,
    title: 'Unknown party',
    ruleId: 'LIF-5',
    detail: 'It is neither a payment system nor an FX provider.',
  },
  'already-paused': {
    status: 409,
    title: 'Already paused',
    ruleId: 'LIF-5',
    detail: 'The party is paused: GET /parties says by whom and since when.',
  },
  'not-paused': {
    status: 409,
    title: 'Not paused',
    ruleId: 'LIF-5',
    detail: 'The party is not paused.',
  },
  'unknown-book': {
    status: 404,
    title: 'Unknown book',
    ruleId: 'REC-1',
    detail: 'There is no such payment system or account, or it is not yours.',
  },
  'unknown-page': {
    status: 404,
    title: 'Unknown page',
    ruleId: 'REC-1',
    detail: 'The notification has fewer pages.',
  },
  'period-not-closed': {
    status: 409,
    title: 'Period is not closed',
    ruleId: 'REC-2',
    detail: 'A period can be read a minute after its end.',
  },
  'payment-not-in-doubt': {
    status: 409,
    title: 'Payment is not in doubt',
    ruleId: 'LIF-4',
    detail: 'The gateway is still finding out by itself how the payment ended.',
  },
  'outcome-stands': {
    status: 409,
    title: 'An outcome is recorded already',
    ruleId: 'LIF-4',
    detail: 'Confirm the outcome that stands, or withdraw it first.',
  },
  'outcome-not-yours': {
    status: 409,
    title: 'Outcome is your own',
    ruleId: 'LIF-4',
    detail: 'Another operator than the one who recorded an outcome confirms it.',
  },
  'outcome-differs': {
    status: 409,
    title: 'Outcome says another status',
    ruleId: 'LIF-4',
    detail: 'An outcome is confirmed by the status that it says.',
  },
  'outcome-ended': {
    status: 409,
    title: 'Outcome is confirmed or withdrawn',
    ruleId: 'LIF-4',
    detail: 'Nothing can be done about this outcome any longer.',
  },
  'unknown-outcome': {
    status: 404,
    title: 'Unknown outcome',
    ruleId: 'LIF-4',
    detail: 'No such outcome was recorded.',
  },
} as const satisfies Record<string, ProblemRow>;
