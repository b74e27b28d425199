// Mistakes in the record: missing, doubled or false rows, and payments that wait for ever (I-1, I-10, I-13 to I-18,
// I-20).
import {
  attempts,
  contradicted,
  credited,
  delivery,
  drop,
  dropEntries,
  first,
  moved,
  repeatEntry,
  repeated,
  row,
  rows,
  silent,
  submissionOf,
  uetrs,
  type Case,
  type Draft,
} from './altered.ts';

export const recordCases: readonly Case[] = [
  {
    title: 'a payment has two final statuses',
    id: 'I-1',
    alter: (draft) => {
      rows(draft, 'decisions').push({ ...row(draft, 'decisions', { uetr: credited(draft) }) });
    },
  },
  {
    title: 'a HIGH payment past its deadline has no final status',
    id: 'I-1',
    also: ['R:PAY-9', 'I-3', 'I-6'],
    alter: (draft) => {
      const uetr = first(uetrs(draft, { reason_code: 'AB03', decided_by: 'gateway' }));
      drop(draft, 'decisions', { uetr });
    },
  },
  {
    title: 'a submission that was answered 200 is not stored',
    id: 'I-10',
    also: ['I-1', 'I-11', 'I-12', 'I-7', 'I-6', 'I-9'],
    alter: (draft) => {
      const { message_id: id } = row(draft, 'payments', { uetr: silent(draft) });
      drop(draft, 'messages', { message_id: id });
    },
  },
  {
    title: 'an answer was given before it was stored',
    id: 'I-10',
    alter: (draft) => {
      const uetr = silent(draft);
      const answer = row(draft, 'messages', {
        message_id: row(draft, 'payments', { uetr })['answer_message_id'],
      });
      answer['created_at'] = moved(submissionOf(draft, uetr).endedAt, 40);
    },
  },
  {
    title: 'what a sender was answered is stored nowhere',
    id: 'I-10',
    also: ['I-13'],
    alter: (draft) => {
      const exchange = submissionOf(draft, credited(draft));
      exchange.responseBody =
        exchange.responseBody?.replace(/<CreDtTm>.*?</, '<CreDtTm>2026-01-01T00:00:00.000Z<') ?? '';
    },
  },
  {
    title: 'the same bytes got two different finals',
    id: 'I-13',
    also: ['I-10', 'I-4'],
    alter: (draft) => {
      const uetr = repeated(draft);
      const repeat = submissionOf(draft, uetr, 'repeat');
      const other = repeat.responseBody?.replace('>ACCC<', '>BLCK<') ?? '';
      draft.exchanges.push({
        ...repeat,
        sentAt: moved(repeat.sentAt, 900),
        endedAt: moved(repeat.endedAt, 900),
        responseBody: other,
      });
    },
  },
  {
    title: 'other content under the ids of a payment is accepted',
    id: 'I-13',
    also: ['I-10', 'R:MSG-3'],
    alter: (draft) => {
      const other = draft.exchanges.find(({ purpose }) => purpose === 'other-content');
      if (other?.uetr === undefined) throw new Error('there is none');
      other.responseBody = submissionOf(draft, other.uetr).responseBody ?? '';
    },
  },
  {
    title: 'a contradiction raises no alert',
    id: 'R:PAY-7',
    alter: (draft) => {
      const uetr = contradicted(draft);
      drop(draft, 'audit_events', { subject_id: uetr, kind: 'payment.contradiction' });
    },
  },
  {
    title: 'a payment is called in doubt after a minute',
    id: 'R:TIM-2',
    alter: (draft) => {
      const uetr = silent(draft);
      const { judged_at: at } = row(draft, 'payments', { uetr });
      rows(draft, 'audit_events').push({
        audit_event_id: '900000',
        occurred_at: moved(String(at), 60_000),
        severity: 'alert',
        kind: 'payment.in-doubt',
        subject_id: uetr,
        party: null,
        detail: {},
      });
    },
  },
  {
    title: 'a destination answers 200 with what does not count, and no alert says so',
    id: 'R:PAY-8',
    also: ['I-12', 'I-17', 'I-4', 'R:PAY-9'],
    alter: (draft) => {
      const attempt = first(attempts(draft, silent(draft), 'instruction'));
      Object.assign(attempt, { outcome: 'ANSWERED', http_status: '200' });
    },
  },
  {
    title: 'a dead letter raises no alert',
    id: 'I-17',
    alter: (draft) => drop(draft, 'audit_events', { kind: 'delivery.dead-letter' }),
  },
  {
    title: 'an intent row is skipped',
    id: 'I-17',
    alter: (draft) => {
      const owner = delivery(draft, credited(draft), 'instruction');
      drop(draft, 'delivery_attempts', { delivery_id: owner['delivery_id'] });
    },
  },
  {
    title: 'a delivery is due and nobody attempts it',
    id: 'I-17',
    also: ['I-3', 'I-12'],
    alter: (draft) => {
      const uetr = credited(draft);
      const owner = delivery(draft, uetr, 'callback');
      Object.assign(owner, { delivered_at: null, next_due_at: owner['asked_at'] });
      draft.run.gatheredAt = moved(draft.run.gatheredAt, 60_000);
      draft.executions.length = 0;
    },
  },
  {
    title: 'a callback counts as delivered that never arrived',
    id: 'I-3',
    also: ['I-17'],
    alter: (draft) => {
      const uetr = credited(draft);
      dropEntries(draft, (entry) => entry.uetr === uetr && entry.party.startsWith('source/'));
    },
  },
  {
    title: 'a stored final is not applied',
    id: 'I-15',
    also: ['R:PAY-9', 'I-3', 'I-5', 'I-9', 'I-12', 'I-1'],
    alter: (draft) => {
      const uetr = credited(draft);
      drop(draft, 'decisions', { uetr });
    },
  },
  {
    title: 'a payment waits and no execution is there for it',
    id: 'I-15',
    alter: (draft) => {
      const uetr = silent(draft);
      for (const one of draft.executions) if (one.workflowId.endsWith(uetr)) one.status = 'TERMINATED';
      draft.run.healedAt = draft.run.gatheredAt;
    },
  },
  {
    title: 'a submission is stored and never judged',
    id: 'I-15',
    alter: (draft) => {
      const submitted = row(draft, 'messages', {
        message_id: row(draft, 'payments', { uetr: silent(draft) })['message_id'],
      });
      rows(draft, 'messages').push({ ...submitted, message_id: 'a8e8a8bc-4fd7-4bf6-8a44-6d2b3a0c8e11' });
      draft.run.gatheredAt = moved(draft.run.gatheredAt, 60_000);
    },
  },
  {
    title: 'a canary stands in a log',
    id: 'I-14',
    alter: (draft) => {
      draft.files.push({ path: 'logs/worker-1.log', read: () => Buffer.from('{"debtor":"Canary Tan"}\n') });
    },
  },
  {
    title: 'a canary stands in a history, in base64',
    id: 'I-14',
    alter: (draft) => {
      const hidden = Buffer.from('{"name":"Canary Somchai"}').toString('base64');
      draft.files.push({ path: 'histories/one.json', read: () => Buffer.from(`{"data":"${hidden}"}`) });
    },
  },
  {
    title: 'a message gets no answer though nothing was broken',
    id: 'I-16',
    alter: (draft) => {
      const exchange = { ...submissionOf(draft, silent(draft)), error: 'timeout' };
      delete exchange.status;
      delete exchange.responseBody;
      draft.exchanges.push(exchange);
    },
  },
  {
    title: 'a message is answered after nine seconds',
    id: 'I-16',
    alter: (draft) => {
      const exchange = submissionOf(draft, silent(draft));
      exchange.endedAt = moved(exchange.sentAt, 9_000);
    },
  },
  {
    title: 'the gateway rejects by itself though a final is stored',
    id: 'I-18',
    also: ['I-4', 'I-5', 'I-11', 'I-8', 'I-6', 'R:PAY-9', 'I-3', 'I-9', 'R:PAY-7'],
    alter: (draft) => {
      const uetr = first(uetrs(draft, { status: 'ACCC' }, { priority: 'HIGH' }));
      Object.assign(row(draft, 'decisions', { uetr }), {
        status: 'RJCT',
        reason_code: 'AB03',
        decided_by: 'gateway',
        report_message_id: null,
      });
    },
  },
  {
    title: 'another final decides than the one that was stored first',
    id: 'I-18',
    also: ['I-4'],
    alter: (draft) => {
      const uetr = contradicted(draft);
      const late = rows(draft, 'messages').find(
        (one) => one['subject_id'] === uetr && one['direction'] === 'in' && one['status'] === 'RJCT',
      );
      delivery(draft, uetr, 'instruction')['final_report_id'] = late?.['message_id'];
    },
  },
  {
    title: 'the sweep finds work in a run without faults',
    id: 'I-20',
    alter: (draft) => {
      const [event] = rows(draft, 'audit_events');
      rows(draft, 'audit_events').push({
        ...event,
        severity: 'info',
        kind: 'sweep.started-again',
        detail: { found: 'payments' },
      });
    },
  },
  {
    title: 'an instruction arrives of which no payment is on record',
    id: 'I-10',
    also: ['I-11'],
    alter: (draft) => {
      repeatEntry(draft, ({ kind, direction }) => kind === 'pacs008' && direction === 'received', 10);
      const entry = draft.journal.at(-1);
      if (entry !== undefined)
        Object.assign(entry, { uetr: 'c0ffee00-4fd7-4bf6-8a44-6d2b3a0c8e11', sha256: 'ff' });
    },
  },
  ...([['as rejected', 'RJCT', { status: 'RJCT', reasonCode: 'AC04' }]] as const).map(
    ([how, status, decision]): Case => ({
      title: `a payment that was credited is shown ${how}`,
      id: 'I-4',
      alter: (draft) => show(draft, { status, decision }),
    }),
  ),
];

/** GET /payments/{uetr} by the debtor agent of a credited payment, long after the end. */
export function show(draft: Draft, shown: object): void {
  const uetr = credited(draft);
  const { decided_at: decidedAt } = row(draft, 'decisions', { uetr });
  draft.exchanges.push({
    api: 'api-1',
    client: 'LOTUSGS0',
    method: 'GET',
    path: `/payments/${uetr}`,
    purpose: 'evidence',
    uetr,
    status: 200,
    responseBody: JSON.stringify(shown),
    sentAt: moved(String(decidedAt), 19_000),
    endedAt: moved(String(decidedAt), 19_020),
  });
}
