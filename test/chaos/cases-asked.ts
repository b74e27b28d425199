// What sources, FX providers and readers of records asked for, and did not get or got wrongly: PAY-1, DUP-1, TIM-1,
// TIM-3, CBK-1, CBK-3, FX-4, FX-5, FX-10.
import {
  addAttempt,
  attempts,
  credited,
  delivery,
  drop,
  first,
  moved,
  repeated,
  rewrite,
  row,
  rows,
  silent,
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

/** Its source asks again so much later. */
function askLater(draft: Draft, uetr: string, ms: number) {
  const repeat = submissionOf(draft, uetr, 'repeat');
  Object.assign(repeat, { sentAt: moved(repeat.sentAt, ms), endedAt: moved(repeat.endedAt, ms) });
}

const baseRate = (draft: Draft) => row(draft, 'rates', { exchange_rate: '25.1234567', threshold: '0' });

const ofSources: readonly Case[] = [
  {
    title: 'a sender that does not wait is told the final of the destination',
    id: 'R:PAY-1',
    alter: (draft) => {
      const uetr = credited(draft);
      const decision = row(draft, 'decisions', { uetr });
      const exchange = submissionOf(draft, uetr);
      exchange.responseBody = textOf(draft, decision['callback_message_id']);
      exchange.endedAt = moved(String(decision['decided_at']), 100);
    },
  },
  {
    title: 'a sender that wants to wait is told ACTC at once',
    id: 'R:PAY-1',
    alter: (draft) => {
      const uetr = waited(draft);
      const exchange = submissionOf(draft, uetr);
      exchange.responseBody = textOf(draft, row(draft, 'payments', { uetr })['answer_message_id']);
    },
  },
  {
    title: 'an answer does not say that it waited',
    id: 'R:PAY-1',
    alter: (draft) => {
      submissionOf(draft, waited(draft)).headers = {};
    },
  },
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
    title: 'a repeat after the final does not have it told again',
    id: 'R:DUP-1',
    also: ['I-12'],
    alter: (draft) => {
      askLater(draft, repeated(draft), 20_000);
      draft.run.gatheredAt = moved(draft.run.gatheredAt, 30_000);
    },
  },
  {
    title: 'a source asks again while its callback is under way, and that counts as the answer',
    id: 'R:DUP-1',
    alter: (draft) => {
      const uetr = first(
        uetrs(draft, { status: 'ACCC' }).filter((one) => attempts(draft, one, 'callback').length === 1),
      );
      const [attempt] = attempts(draft, uetr, 'callback');
      const from = String(attempt?.['started_at']);
      Object.assign(attempt ?? {}, { finished_at: moved(from, 900) });
      const asked = submissionOf(draft, uetr);
      draft.exchanges.push({
        ...asked,
        sentAt: moved(from, 300),
        endedAt: moved(from, 330),
        purpose: 'repeat-at-the-final',
        responseBody: textOf(draft, row(draft, 'decisions', { uetr })['callback_message_id']),
      });
      draft.run.gatheredAt = moved(draft.run.gatheredAt, 30_000);
    },
  },
  {
    title: 'a repeat without a final does not reach the destination',
    id: 'R:DUP-1',
    also: ['I-12'],
    alter: (draft) => askLater(draft, silent(draft), 30_000),
  },
  {
    title: 'a callback goes to an address that a refused repeat named',
    id: 'I-7',
    alter: (draft) => {
      const [attempt] = attempts(draft, credited(draft), 'callback');
      Object.assign(attempt ?? {}, { url: `${String(attempt?.['url'])}?of-another` });
    },
  },
  {
    title: 'a rejection names another rule than its own',
    id: 'R:MSG-11',
    alter: (draft) => {
      row(draft, 'decisions', { reason_code: 'TM01' })['rule_id'] = 'PAY-6';
    },
  },
  {
    title: 'a destination is not told to return what it has credited',
    id: 'R:MSG-11',
    alter: (draft) => {
      const { confirmation_message_id: told } = row(draft, 'decisions', { rule_id: 'TIM-1' });
      rewrite(draft, told, (text) => text.replace(/<AddtlInf>PAY-9[^<]*<\/AddtlInf>/, ''));
    },
  },
  {
    title: 'something is added to what a destination decided',
    id: 'R:MSG-11',
    alter: (draft) => {
      const decided = row(draft, 'decisions', { status: 'RJCT', decided_by: 'destination' });
      rewrite(draft, decided['callback_message_id'], (text) =>
        text.replace('</StsRsnInf>', '<AddtlInf>PAY-7 so it is</AddtlInf></StsRsnInf>'),
      );
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
  {
    title: 'instructions that fail are not sent again',
    id: 'R:TIM-3',
    also: ['I-8', 'I-12', 'I-17'],
    alter: (draft) => {
      for (const { uetr } of rows(draft, 'payments')) {
        const own = rows(draft, 'deliveries').find(
          (one) => one['subject_id'] === uetr && one['kind'] === 'instruction',
        );
        const [one, next] = own === undefined ? [] : attempts(draft, String(uetr), 'instruction');
        const isFailed = one?.['http_status'] === '503' || one?.['outcome'] !== 'ANSWERED';
        if (own === undefined || next === undefined || !isFailed) continue;
        drop(draft, 'delivery_attempts', { delivery_id: own['delivery_id'], attempt: next['attempt'] });
        draft.tables['delivery_attempts'] = rows(draft, 'delivery_attempts').filter(
          (each) => each['delivery_id'] !== own['delivery_id'] || each['attempt'] === '1',
        );
        for (const decision of rows(draft, 'decisions'))
          if (decision['uetr'] === uetr)
            decision['decided_at'] = moved(String(decision['decided_at']), 60_000);
      }
      draft.run.gatheredAt = moved(draft.run.gatheredAt, 120_000);
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
    title: 'a callback is sent again after 410',
    id: 'I-12',
    also: ['I-17'],
    alter: (draft) => {
      const { subject_id: uetr } = row(draft, 'audit_events', { kind: 'delivery.dead-letter' });
      addAttempt(draft, String(uetr), 'callback', 1_200);
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
    id: 'R:CBK-3',
    also: ['I-17'],
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
    also: ['R:FX-2', 'R:FX-5', 'R:FX-8', 'R:QUO-2', 'R:QUO-3', 'R:QUO-7', 'I-5'],
    alter: (draft) => {
      baseRate(draft)['exchange_rate'] = '25.1234';
    },
  },
  {
    title: 'one post is stored twice',
    id: 'R:FX-10',
    also: ['R:FX-4', 'R:FX-5', 'R:QUO-2', 'R:QUO-3'],
    alter: (draft) => {
      const base = baseRate(draft);
      rows(draft, 'rates').push({ ...base, rate_id: 'c0ffee00-4fd7-4bf6-8a44-6d2b3a0c8e11' });
    },
  },
  {
    title: 'the rate of another FX provider is ended',
    id: 'R:FX-4',
    also: ['R:QUO-2', 'R:QUO-3', 'R:FX-8', 'R:FX-5'],
    alter: (draft) => {
      const base = baseRate(draft);
      const other = rows(draft, 'rates').find(
        (one) =>
          one['fxp_id'] !== base['fxp_id'] &&
          one['destination_currency'] === 'THB' &&
          one['source_currency'] === 'SGD' &&
          one['threshold'] === '0',
      );
      Object.assign(other ?? {}, { expired_at: base['created_at'] });
    },
  },
];

export const askedCases: readonly Case[] = [...ofSources, ...ofDeliveries, ...ofRates];
