// Attempts that come too early, too late or after the end: I-8, I-12, I-19, TIM-1.
import {
  addAttempt,
  attempts,
  credited,
  first,
  moved,
  repeatEntry,
  row,
  rows,
  silent,
  uetrs,
  type Case,
} from './altered.ts';

export const scheduleCases: readonly Case[] = [
  {
    title: 'an instruction is sent again 100 ms after a failure',
    id: 'I-12',
    alter: (draft) => {
      const uetr = first(uetrs(draft, { reason_code: 'ED06' }));
      const [one, two] = attempts(draft, uetr, 'instruction');
      Object.assign(two ?? {}, {
        started_at: moved(String(one?.['finished_at']), 100),
        finished_at: moved(String(one?.['finished_at']), 120),
      });
    },
  },
  {
    title: 'a destination that said 202 is asked again after ten seconds, though nobody asked',
    id: 'I-12',
    alter: (draft) => {
      const uetr = silent(draft);
      draft.exchanges = draft.exchanges.filter((one) => one.uetr !== uetr || one.purpose !== 'repeat');
    },
  },
  {
    title: 'the enquiry after a minute is not made',
    id: 'I-12',
    also: ['I-15', 'I-17'],
    alter: (draft) => {
      const uetr = silent(draft);
      const last = attempts(draft, uetr, 'instruction').at(-1);
      draft.tables['delivery_attempts'] = rows(draft, 'delivery_attempts').filter((one) => one !== last);
      draft.run.gatheredAt = moved(draft.run.gatheredAt, 150_000);
    },
  },
  {
    title: 'a callback is attempted again at once after a failure',
    id: 'I-12',
    alter: (draft) => {
      const failed = rows(draft, 'delivery_attempts').find(
        (one) => one['http_status'] === '503' && one['outcome'] === 'ANSWERED',
      );
      const next = row(draft, 'delivery_attempts', { delivery_id: failed?.['delivery_id'], attempt: '2' });
      Object.assign(next, { started_at: moved(String(failed?.['finished_at']), 20) });
    },
    also: ['I-17'],
  },
  {
    title: 'an instruction is sent after the final',
    id: 'I-8',
    also: ['I-12', 'I-17'],
    alter: (draft) => {
      addAttempt(draft, credited(draft), 'instruction', 4_000);
    },
  },
  {
    title: 'an instruction is sent before its payment is accepted',
    id: 'I-8',
    alter: (draft) => {
      const uetr = credited(draft);
      const [attempt] = attempts(draft, uetr, 'instruction');
      Object.assign(attempt ?? {}, {
        started_at: moved(String(row(draft, 'payments', { uetr })['judged_at']), -50),
      });
    },
  },
  {
    title: 'an instruction is sent after the deadline of a HIGH payment',
    id: 'I-19',
    also: ['I-8', 'I-12', 'I-17'],
    alter: (draft) => {
      const uetr = first(uetrs(draft, { reason_code: 'AB03', decided_by: 'gateway' }));
      addAttempt(draft, uetr, 'instruction', 4_500);
    },
  },
  {
    title: 'an instruction arrives after the deadline of a HIGH payment',
    id: 'I-19',
    also: ['I-17'],
    alter: (draft) => {
      const uetr = first(uetrs(draft, { reason_code: 'AB03', decided_by: 'gateway' }));
      repeatEntry(draft, (entry) => entry.uetr === uetr && entry.kind === 'pacs008', 4_500);
    },
  },
  {
    title: 'a HIGH payment is rejected a second before its deadline',
    id: 'I-8',
    also: ['I-4'],
    alter: (draft) => {
      const uetr = first(uetrs(draft, { reason_code: 'AB03', decided_by: 'gateway' }));
      const decision = row(draft, 'decisions', { uetr });
      decision['decided_at'] = moved(String(decision['decided_at']), -1_000);
      for (const id of [decision['callback_message_id'], decision['confirmation_message_id']]) {
        row(draft, 'messages', { message_id: id })['created_at'] = decision['decided_at'];
      }
    },
  },
  {
    title: 'a deadline is missed by ten seconds',
    id: 'R:TIM-1',
    alter: (draft) => {
      const uetr = first(uetrs(draft, { reason_code: 'AB03', decided_by: 'gateway' }));
      const decision = row(draft, 'decisions', { uetr });
      decision['decided_at'] = moved(String(decision['decided_at']), 10_000);
      for (const id of [decision['callback_message_id'], decision['confirmation_message_id']]) {
        row(draft, 'messages', { message_id: id })['created_at'] = decision['decided_at'];
      }
    },
    also: ['I-17', 'I-18'],
  },
  {
    title: 'what follows from a decision is written later',
    id: 'I-8',
    alter: (draft) => {
      const { callback_message_id: id } = row(draft, 'decisions', { uetr: credited(draft) });
      const message = row(draft, 'messages', { message_id: id });
      message['created_at'] = moved(String(message['created_at']), 40);
    },
  },
];
