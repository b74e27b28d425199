// Who asks and is not answered, or is refused what is theirs (SEC-9, DUP-1, SEC-1).
import { credited, moved, repeated, submissionOf, type Case } from './altered.ts';

export const unansweredCases: readonly Case[] = [
  {
    title: 'a payment is answered 503 though nothing is broken',
    id: 'R:SEC-9',
    alter: (draft) => {
      const asked = submissionOf(draft, credited(draft));
      draft.exchanges.push({
        ...asked,
        uetr: '00000000-0000-4000-8000-000000000000',
        status: 503,
        responseBody: '{}',
      });
    },
  },
  {
    title: 'a report is answered 500 though nothing is broken',
    id: 'R:SEC-9',
    alter: (draft) => {
      const report = draft.journal.find(
        ({ direction, httpStatus }) => direction === 'sent' && httpStatus === 200,
      );
      Object.assign(report ?? {}, { httpStatus: 500 });
    },
  },
  {
    title: 'a repeat after the final is answered 503 while only the engine is away',
    id: 'R:DUP-1',
    also: ['I-12'],
    alter: (draft) => {
      const again = submissionOf(draft, repeated(draft), 'repeat');
      Object.assign(again, {
        status: 503,
        responseBody: '{}',
        sentAt: moved(again.sentAt, 10_000),
        endedAt: moved(again.endedAt, 10_000),
      });
      draft.faults.push({
        name: 'engine-stands-still',
        target: 'engine',
        beganAt: moved(again.sentAt, -500),
        endedAt: moved(again.sentAt, 500),
        detail: '',
      });
    },
  },
  {
    title: 'a debtor agent is refused the record of its payment',
    id: 'R:SEC-1',
    alter: (draft) => {
      const asked = submissionOf(draft, credited(draft));
      draft.exchanges.push({
        sentAt: moved(asked.sentAt, 9_000),
        endedAt: moved(asked.sentAt, 9_020),
        api: 'api-1',
        client: 'LOTUSGS0',
        method: 'GET',
        path: `/payments/${asked.uetr ?? ''}`,
        purpose: 'evidence',
        status: 404,
        expected: { verdict: 'answered', rule: 'SEC-1' },
      });
    },
  },
];
