// Problems of operators' requests: alerts, redeliveries, pauses, books, outcomes. They are part of the table
// in problems.ts.
export interface ProblemRow {
  readonly status: number;
  readonly title: string;
  readonly ruleId?: string;
  /** The default text, for code that gives no more precise one. */
  readonly detail: string;
  /** Seconds for the `Retry-After` header. */
  readonly retryAfter?: number;
}

export const operationsProblems = {
  'unknown-object': {
    status: 404,
    title: 'Unknown object',
    ruleId: 'ADM-1',
    detail: 'The scheme has no such object, and never had. GET /admin/scheme/{kind} lists those that it has.',
  },
  'unknown-change': {
    status: 404,
    title: 'Unknown change',
    ruleId: 'ADM-2',
    detail: 'There is no such change. GET /admin/changes lists them.',
  },
  'scheme-error': {
    status: 422,
    title: 'The scheme would not hang together',
    ruleId: 'ADM-1',
    detail: 'Nothing is changed. See errors: each says what would be right.',
  },
  'change-not-pending': {
    status: 409,
    title: 'Change is not pending',
    ruleId: 'ADM-2',
    detail: 'It has been decided. GET /admin/changes/{changeId} says by whom and how.',
  },
  'own-change': {
    status: 409,
    title: 'A second person decides',
    ruleId: 'ADM-2',
    detail: 'You have proposed it yourself. Another operator approves or refuses it; you may withdraw it.',
  },
  'not-own-change': {
    status: 409,
    title: 'Not your change',
    ruleId: 'ADM-2',
    detail: 'Only the operator who proposed it may withdraw it. You may refuse it.',
  },
  'endpoint-untried': {
    status: 409,
    title: 'An endpoint has not answered',
    ruleId: 'ADM-1',
    detail:
      'A new endpoint has not answered its trial message. Try again in some seconds, or approve it with despiteProbes.',
  },
  'change-outdated': {
    status: 409,
    title: 'Change is out of date',
    ruleId: 'ADM-2',
    detail: 'Its objects have changed since it was proposed. Nothing of it was applied: propose it again.',
  },
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
    detail: 'It is not closed, so it cannot be reopened. Close it or add a note instead.',
  },
  'alert-kinds': {
    status: 409,
    title: 'It is not clear which alerts are over',
    ruleId: 'OBS-6',
    detail:
      'The open alerts are of several kinds. Name in `kinds` those that are over, or close them all with `all`.',
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
    detail: 'Somebody else takes care of it. To take it over, say why in the note.',
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
    detail: 'The payment has its final status: GET /payments/{uetr} shows it.',
  },
  'deadline-past': {
    status: 409,
    title: 'Deadline is past',
    ruleId: 'TIM-1',
    detail:
      'The gateway sends nothing for a HIGH payment after its deadline. It decides the payment now: GET /payments/{uetr} shows the final status.',
  },
  'unknown-party': {
    status: 404,
    title: 'Unknown party',
    ruleId: 'LIF-5',
    detail: 'It is neither a payment system nor an FX provider; GET /parties lists both.',
  },
  'no-endpoint': {
    status: 409,
    title: 'No address to try',
    ruleId: 'ADM-1',
    detail:
      'You have no HTTP address to which a trial message could go. The operators of the scheme register one; queues are not tried.',
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
    detail: 'The party is not paused; GET /parties says who is.',
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
    detail: 'The notification has fewer pages. Its first page is page 1.',
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
    detail:
      'The gateway still asks the destination by itself how the payment ended. Wait until it is INDOUBT.',
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
    detail: 'You recorded this outcome; another operator has to confirm it.',
  },
  'outcome-differs': {
    status: 409,
    title: 'Outcome says another status',
    ruleId: 'LIF-4',
    detail:
      'An outcome is confirmed by the status that it says. If that is wrong, withdraw it and record another.',
  },
  'outcome-overtaken': {
    status: 409,
    title: 'Instruction may have arrived since',
    ruleId: 'LIF-4',
    detail: 'Withdraw the outcome, ask the destination again, and record what it says then.',
  },
  'outcome-ended': {
    status: 409,
    title: 'Outcome is confirmed or withdrawn',
    ruleId: 'LIF-4',
    detail: 'It is confirmed or withdrawn already. GET /payments/{uetr} lists every outcome.',
  },
  'unknown-outcome': {
    status: 404,
    title: 'Unknown outcome',
    ruleId: 'LIF-4',
    detail: 'No such outcome was recorded. GET /payments/{uetr} lists those that were.',
  },
} as const satisfies Record<string, ProblemRow>;
