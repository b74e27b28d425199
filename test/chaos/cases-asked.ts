// Mistakes in what sources and FX providers asked for: I-3, TIM-1, CBK-1, CBK-3, SEC-5, FX-4, FX-10.
import {
  attempts,
  credited,
  delivery,
  first,
  moved,
  row,
  rows,
  submissionOf,
  textOf,
  uetrs,
  type Case,
  type Draft,
} from './altered.ts';

/** A payment whose source waited for its final. */
function waited(draft: Draft): string {
  const asked = draft.exchanges.filter(
    ({ prefer, purpose }) => prefer !== undefined && purpose === 'payment',
  );
  return first(uetrs(draft, { status: 'ACCC' }).filter((uetr) => asked.some((one) => one.uetr === uetr)));
}

const baseRate = (draft: Draft) => row(draft, 'rates', { exchange_rate: '25.1234567', threshold: '0' });

const ofSources: readonly Case[] = [
  {
    title: 'a sender is answered with the confirmation of the destination',
    id: 'I-3',
    alter: (draft) => {
      const uetr = waited(draft);
      const { confirmation_message_id: id } = row(draft, 'decisions', { uetr });
      submissionOf(draft, uetr).responseBody = textOf(draft, id);
    },
  },
  {
    title: 'a deadline runs from the receipt',
    id: 'R:TIM-1',
    alter: (draft) => {
      const uetr = first(uetrs(draft, { status: 'ACCC' }, { priority: 'HIGH' }));
      const payment = row(draft, 'payments', { uetr });
      payment['deadline_at'] = moved(String(payment['deadline_at']), 150);
    },
  },
];

const ofDeliveries: readonly Case[] = [
  {
    title: 'a callback comes again under another id',
    id: 'R:CBK-1',
    alter: (draft) => {
      const uetr = credited(draft);
      const entry = draft.journal.find((one) => one.uetr === uetr && one.party.startsWith('source/'));
      Object.assign(entry ?? {}, { headers: { 'webhook-id': 'another' } });
    },
  },
  {
    title: 'a receiver that says nothing is waited for',
    id: 'R:SEC-5',
    alter: (draft) => {
      const [attempt] = attempts(draft, credited(draft), 'callback');
      Object.assign(attempt ?? {}, { started_at: moved(String(attempt?.['started_at']), -30) });
      Object.assign(attempt ?? {}, { finished_at: moved(String(attempt?.['finished_at']), 31_000) });
    },
  },
  {
    title: 'a breaker never lets anything through again',
    id: 'I-17',
    alter: (draft) => {
      const uetr = credited(draft);
      Object.assign(delivery(draft, uetr, 'callback'), {
        delivered_at: null,
        next_due_at: moved(draft.run.gatheredAt, 400_000),
      });
      draft.run.gatheredAt = moved(draft.run.gatheredAt, 120_000);
      for (const one of attempts(draft, uetr, 'callback')) one['http_status'] = '503';
    },
  },
  {
    title: 'who takes everything at once is sent to three seconds late',
    id: 'R:CBK-3',
    alter: (draft) => {
      const well = rows(draft, 'deliveries').filter(
        ({ party }) => party === 'EURTIPS' || party === 'JPYZGIN',
      );
      for (const one of well) one['asked_at'] = moved(String(one['asked_at']), -3_000);
    },
  },
];

const ofRates: readonly Case[] = [
  {
    title: 'a rate is stored otherwise than it was posted',
    id: 'R:FX-4',
    also: ['R:FX-2', 'R:FX-8', 'R:QUO-2', 'R:QUO-3', 'I-5'],
    alter: (draft) => {
      baseRate(draft)['exchange_rate'] = '25.1234';
    },
  },
];

export const askedCases: readonly Case[] = [...ofSources, ...ofDeliveries, ...ofRates];
