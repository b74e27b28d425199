// What operators are refused (operations-problems.ts), each beside the requests that cause it. Part of the table of
// problem-cases.ts.
import type { operationsProblems } from '../../../api/http/problems/operations-problems.ts';
import type { ShownElsewhere } from '../../harness/problem-texts.ts';

export interface Asked {
  /** Client id of the caller; null: no token. */
  readonly by: string | null;
  /** As in `GET /countries/sg`. Here and in the body, {name} stands for one of the payments and alerts of the test. */
  readonly asks: string;
  /** An object is sent as JSON, a string as XML. */
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Caused extends Asked {
  /** Requests before it; {1.changeId} is the changeId in the answer to the first of them. */
  readonly first?: readonly Asked[];
  /** The whole detail, with <uuid>, <time> and the like in place of what differs from run to run. */
  readonly told: string;
}

export const nobody = '00000000-0000-4000-8000-000000000001';
const because = 'ticket 4711';
const change = (objects: readonly object[]) => ({ because, objects });
const proposesToEnd = (institution: string): Asked => ({
  by: 'operator',
  asks: 'POST /admin/changes',
  body: change([{ kind: 'institutions', ends: institution }]),
});
const credited = { status: 'ACCC', evidence: 'mail of 04:10' };
const rejected = { status: 'RJCT', reasonCode: 'AC04', evidence: 'mail of 04:10' };

export const operationsCases: Record<Exclude<keyof typeof operationsProblems, ShownElsewhere>, Caused> = {
  'unknown-object': {
    by: 'operator',
    asks: 'GET /admin/scheme/fee-formulas/XX:XXX',
    told: 'fee-formulas has no XX:XXX, and never had. GET /admin/scheme/fee-formulas lists what it has.',
  },
  'unknown-change': {
    by: 'operator',
    asks: `GET /admin/changes/${nobody}`,
    told: 'There is no such change. GET /admin/changes lists them.',
  },
  'scheme-error': {
    by: 'operator',
    asks: 'POST /admin/changes',
    body: change([{ kind: 'currencies', ends: 'THB' }]),
    told: 'Nothing is changed: /clearing-systems/THBPPAY/currencyCode names the currency THB, which does not exist, or ends by then. Enter it first or in the same change, or change this object, too. And 1 more: see errors.',
  },
  'unknown-alert': {
    by: 'operator',
    asks: 'GET /alerts/999999',
    told: 'There is no alert 999999; GET /alerts?state=open,taken,closed lists them all.',
  },
  'nothing-to-deliver': {
    by: 'operator',
    asks: 'POST /payments/{credited}/redeliveries',
    body: {},
    told: 'Everything was delivered: callback <time>, confirmation <time>, notification <time>. To send one of them again, name it in `kinds` (ops redeliver --kind).',
  },
  'payment-decided': {
    by: 'operator',
    asks: 'POST /payments/{credited}/enquiries',
    body: {},
    told: 'The final status of <uuid> is ACCC: nothing is left to ask.',
  },
  'unknown-party': {
    by: 'operator',
    asks: 'POST /parties/NOBODY/pause',
    body: { because },
    told: 'NOBODY is neither a payment system nor an FX provider; GET /parties lists both.',
  },
  'not-paused': {
    by: 'operator',
    asks: 'POST /parties/THBPPAY/resumption',
    body: { because },
    told: 'THBPPAY is not paused; GET /parties says who is.',
  },
  'unknown-book': {
    by: 'operator',
    asks: 'GET /reconciliation?date=2026-01-05&clearingSystem=NOBODY',
    told: 'There is no book of NOBODY that operator may read. Name a payment system by clearingSystem, or an account by sap and account.',
  },
  'unknown-page': {
    by: 'operator',
    asks: 'GET /reconciliation/camt054?date=2026-01-05&clearingSystem=THBPPAY&page=2',
    told: 'The notification has 1 page: ask for page 1.',
  },
  'period-not-closed': {
    by: 'operator',
    asks: 'GET /reconciliation?from=2099-01-05T00:00:00Z&to=2099-01-05T01:00:00Z&clearingSystem=THBPPAY',
    told: 'The period can be read from <time> on.',
  },
  'payment-not-in-doubt': {
    by: 'operator',
    asks: 'POST /payments/{waiting}/outcomes',
    body: credited,
    told: '<uuid> is not INDOUBT: the gateway still asks its destination by itself (TIM-2). Wait until it is, 24 hours after acceptance.',
  },
  'unknown-outcome': {
    by: 'operator',
    asks: `POST /payments/{waiting}/outcomes/${nobody}/withdrawal`,
    body: { because },
    told: 'No outcome <uuid> was recorded for <uuid>; GET /payments/{uetr} lists those that were.',
  },
  'change-not-pending': {
    first: [
      proposesToEnd('DE-FERN'),
      { by: 'operator', asks: 'POST /admin/changes/{1.changeId}/withdrawal', body: { because } },
    ],
    by: 'operator2',
    asks: 'POST /admin/changes/{1.changeId}/approval',
    body: { because },
    told: 'The change is withdrawn. GET /admin/changes/{changeId} says by whom and when.',
  },
  'own-change': {
    first: [proposesToEnd('DE-FERN')],
    by: 'operator',
    asks: 'POST /admin/changes/{1.changeId}/approval',
    body: { because },
    told: 'You have proposed it yourself. Another operator approves or refuses it; you may withdraw it.',
  },
  'not-own-change': {
    first: [proposesToEnd('DE-FERN')],
    by: 'operator2',
    asks: 'POST /admin/changes/{1.changeId}/withdrawal',
    body: { because },
    told: 'Only operator, who proposed it, may withdraw it. You may refuse it.',
  },
  'change-outdated': {
    first: [
      proposesToEnd('HK-FERN'),
      proposesToEnd('HK-FERN'),
      { by: 'operator2', asks: 'POST /admin/changes/{1.changeId}/approval', body: { because } },
    ],
    by: 'operator2',
    asks: 'POST /admin/changes/{2.changeId}/approval',
    body: { because },
    told: 'Changed since this was proposed: institutions HK-FERN. Nothing of it was applied: propose it again.',
  },
  'alert-closed': {
    first: [
      { by: 'operator', asks: 'POST /alerts/{alert}/entries', body: { action: 'close', note: 'settled' } },
    ],
    by: 'operator2',
    asks: 'POST /alerts/{alert}/entries',
    body: { action: 'take' },
    told: 'operator closed it at <time>: to take care of it again, reopen it first.',
  },
  'alert-not-closed': {
    by: 'operator',
    asks: 'POST /alerts/{alert}/entries',
    body: { action: 'reopen', note: 'look again' },
    told: 'It is not closed, so it cannot be reopened. Close it or add a note instead.',
  },
  'alert-kinds': {
    by: 'operator',
    asks: 'POST /payments/{alerted}/entries',
    body: { action: 'close', note: 'settled', seen: '999999' },
    told: 'Open alerts: 2 delivery.dead-letter (the last: <id>), 1 payment.contradiction (<id>). Name in `kinds` (ops close: --kind) those that are over, or close them all with `all` (--all).',
  },
  'alerts-unseen': {
    by: 'operator',
    asks: 'POST /payments/{alerted}/entries',
    body: { action: 'close', note: 'settled', all: true },
    told: 'Open alerts: 2 delivery.dead-letter (the last: <id>), 1 payment.contradiction (<id>). Name in `seen` (ops close: --seen) the last alert of the case that you have looked at: what came after it stays open.',
  },
  'already-taken': {
    first: [{ by: 'operator', asks: 'POST /alerts/{alert}/entries', body: { action: 'take' } }],
    by: 'operator2',
    asks: 'POST /alerts/{alert}/entries',
    body: { action: 'take' },
    told: 'operator took it at <time>. To take it over, say why in `note` (ops take: --note).',
  },
  'not-judged-yet': {
    by: 'operator',
    asks: 'POST /payments/{stored}/enquiries',
    body: {},
    told: '<uuid> is stored and not judged yet (RCVD). Nothing has left, but it still may: do not pay again. If it stays so, GET /parties (ops parties) says whether a worker runs, GET /alerts (ops alerts) whether it met a defect.',
  },
  'already-paused': {
    first: [{ by: 'operator', asks: 'POST /parties/CNYFPS/pause', body: { because } }],
    by: 'operator2',
    asks: 'POST /parties/CNYFPS/pause',
    body: { because },
    told: 'operator paused CNYFPS at <time> ("ticket 4711"). POST /parties/CNYFPS/resumption (ops resume) ends the pause.',
  },
  'outcome-stands': {
    first: [{ by: 'operator', asks: 'POST /payments/{doubted}/outcomes', body: credited }],
    by: 'operator2',
    asks: 'POST /payments/{doubted}/outcomes',
    body: credited,
    told: 'operator has recorded ACCC (outcome <uuid>). Confirm that, or withdraw it first.',
  },
  'outcome-not-yours': {
    first: [{ by: 'operator', asks: 'POST /payments/{doubted}/outcomes', body: credited }],
    by: 'operator',
    asks: 'POST /payments/{doubted}/outcomes/{1.outcomeId}/confirmation',
    body: { status: 'ACCC' },
    told: 'operator recorded this outcome; another operator has to confirm it.',
  },
  'outcome-differs': {
    first: [{ by: 'operator', asks: 'POST /payments/{doubted}/outcomes', body: credited }],
    by: 'operator2',
    asks: 'POST /payments/{doubted}/outcomes/{1.outcomeId}/confirmation',
    body: { status: 'RJCT' },
    told: 'The outcome says ACCC. Confirm that, or withdraw it and record another.',
  },
  'outcome-overtaken': {
    first: [{ by: 'operator', asks: 'POST /payments/{underWay}/outcomes', body: rejected }],
    by: 'operator2',
    asks: 'POST /payments/{underWay}/outcomes/{1.outcomeId}/confirmation',
    body: { status: 'RJCT' },
    told: 'Attempt 1 of the instruction may have arrived after this outcome was recorded. Withdraw it, ask the destination again, and record what it says then.',
  },
  'outcome-ended': {
    first: [
      { by: 'operator', asks: 'POST /payments/{doubted}/outcomes', body: credited },
      {
        by: 'operator',
        asks: 'POST /payments/{doubted}/outcomes/{1.outcomeId}/withdrawal',
        body: { because },
      },
    ],
    by: 'operator2',
    asks: 'POST /payments/{doubted}/outcomes/{1.outcomeId}/confirmation',
    body: { status: 'ACCC' },
    told: 'The outcome <uuid> is withdrawn already; GET /payments/{uetr} lists every outcome.',
  },
};
