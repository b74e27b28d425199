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
  ...[
    {
      what: 'a fee formula',
      id: 'R:FEE-2',
      path: '/fee-formulas/creditor-agent-fee/TH/THB',
      body: '{"countryCode":"TH","nominalFee":{"amount":"75.00","currency":"THB"},"percentageFee":1}',
    },
    {
      what: 'a maximum',
      id: 'R:PAY-6',
      path: '/countries/TH/currencies/THB/max-amounts',
      body: '[{"clearingSystemId":"THBPPAY","maxAmount":"1"}]',
    },
    {
      what: 'the decimals of a currency',
      id: 'R:MON-2',
      path: '/currencies/JPY',
      body: '{"currencyCode":"JPY","decimalPlaces":2}',
    },
  ].map(({ what, id, path, body }): Case => ({
    title: `${what} is told that is not on record`,
    id,
    alter: (draft) => {
      const { sentAt, endedAt } = submissionOf(draft, credited(draft));
      const answered = { api: 'api-1', method: 'GET', purpose: 'scheme-data', status: 200 } as const;
      draft.exchanges.push({ ...answered, sentAt, endedAt, client: 'LOTUSGS0', path, responseBody: body });
    },
  })),
];
