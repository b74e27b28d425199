// Mistakes in money and final statuses: I-2 to I-6, I-8, I-9, MSG-3.
import {
  amountsOfQuote,
  credited,
  delivery,
  drop,
  first,
  moved,
  repeatEntry,
  rewrite,
  row,
  rows,
  uetrs,
  type Case,
  type Draft,
} from './altered.ts';

const booked = (uetr: string) => (entry: { uetr?: string; direction: string }) =>
  entry.uetr === uetr && entry.direction === 'booked';
const decision = (draft: Draft, uetr: string) => row(draft, 'decisions', { uetr });
const submitted = (draft: Draft, uetr: string) => row(draft, 'payments', { uetr })['message_id'];

export const moneyCases: readonly Case[] = [
  {
    title: 'a destination sees two distinct instructions',
    id: 'I-2',
    also: ['I-11', 'I-17'],
    alter: (draft) => {
      repeatEntry(
        draft,
        ({ kind, direction, party }) => kind === 'pacs008' && direction === 'received' && party !== 'refused',
        500,
      );
      Object.assign(draft.journal.at(-1) ?? {}, { sha256: '00' });
    },
  },
  {
    title: 'an instruction goes to another operator',
    id: 'I-2',
    alter: (draft) => {
      const uetr = credited(draft);
      const entry = draft.journal.find((one) => one.uetr === uetr && one.kind === 'pacs008');
      if (entry !== undefined) entry.party = 'destination/IPSO-JP';
    },
  },
  {
    title: 'an instruction is sent for a payment that was rejected',
    id: 'I-2',
    also: ['I-11'],
    alter: (draft) => {
      const uetr = first(uetrs(draft, {}, { accepted: false }));
      const entry = draft.journal.find((one) => one.kind === 'pacs008' && one.direction === 'received');
      if (entry !== undefined) draft.journal.push({ ...entry, uetr, sha256: '00' });
    },
  },
  {
    title: 'a destination credits twice',
    id: 'I-4',
    also: ['I-9'],
    alter: (draft) => repeatEntry(draft, booked(credited(draft)), 900),
  },
  {
    title: 'the source is told ACCC and no money moved',
    id: 'I-4',
    also: ['I-9'],
    alter: (draft) => {
      const uetr = credited(draft);
      draft.journal = draft.journal.filter((entry) => !booked(uetr)(entry));
    },
  },
  {
    title: 'the source is told RJCT and the money moved',
    id: 'I-4',
    also: ['I-8', 'I-11', 'I-3', 'I-5', 'I-6', 'R:PAY-9', 'R:PAY-7', 'I-18'],
    alter: (draft) => {
      const uetr = credited(draft);
      Object.assign(decision(draft, uetr), { status: 'RJCT', reason_code: 'AC04' });
    },
  },
  {
    title: 'a NORM payment is rejected on a timeout',
    id: 'I-8',
    also: ['I-4', 'I-11', 'I-3', 'I-5', 'I-6', 'I-9', 'R:PAY-9', 'R:PAY-7', 'I-18'],
    alter: (draft) => {
      const uetr = credited(draft);
      Object.assign(decision(draft, uetr), {
        status: 'RJCT',
        reason_code: 'AB03',
        decided_by: 'gateway',
        report_message_id: null,
      });
    },
  },
  {
    title: 'a payment that was sent is rejected as unreachable',
    id: 'I-8',
    alter: (draft) => {
      const uetr = first(uetrs(draft, { reason_code: 'ED06' }));
      const owner = delivery(draft, uetr, 'instruction');
      const attempt = row(draft, 'delivery_attempts', { delivery_id: owner['delivery_id'], attempt: '1' });
      Object.assign(attempt, { outcome: 'MAYBE_SENT', error_class: 'timeout' });
    },
  },
  {
    title: 'the source gets the confirmation of another status',
    id: 'I-3',
    also: ['I-4', 'I-11'],
    alter: (draft) => {
      const uetr = credited(draft);
      rewrite(draft, decision(draft, uetr)['callback_message_id'], (text) =>
        text.replace('>ACCC<', '>BLCK<'),
      );
      for (const entry of draft.journal)
        if (entry.uetr === uetr && entry.party.startsWith('source/')) entry.status = 'BLCK';
    },
  },
  {
    title: 'no callback is made',
    id: 'I-3',
    also: ['I-11'],
    alter: (draft) => drop(draft, 'deliveries', { subject_id: credited(draft), kind: 'callback' }),
  },
  {
    title: 'a second fxtr.017',
    id: 'I-5',
    also: ['I-9', 'I-11', 'I-17'],
    alter: (draft) => {
      const uetr = credited(draft);
      const one = row(draft, 'messages', { subject_id: uetr, message_type: 'fxtr017' });
      rows(draft, 'messages').push({ ...one, message_id: 'a8e8a8bc-4fd7-4bf6-8a44-6d2b3a0c8e11' });
      rewrite(draft, 'a8e8a8bc-4fd7-4bf6-8a44-6d2b3a0c8e11', (text) => text.replace('ISTHMUS', 'ISTHMUS '));
    },
  },
  {
    title: 'no fxtr.017',
    id: 'I-5',
    also: ['I-9', 'I-11'],
    alter: (draft) => {
      const uetr = credited(draft);
      drop(draft, 'deliveries', { subject_id: uetr, kind: 'notification' });
      drop(draft, 'messages', { subject_id: uetr, message_type: 'fxtr017' });
    },
  },
  {
    title: 'an fxtr.017 of a payment that was rejected',
    id: 'I-5',
    alter: (draft) => {
      const uetr = first(uetrs(draft, { status: 'RJCT' }, { accepted: true }));
      row(draft, 'messages', { message_type: 'fxtr017' })['subject_id'] = uetr;
    },
    also: ['I-9'],
  },
  ...(
    [
      ['sold amount', /(<TradgSdSellAmt><Amt Ccy="SGD">)1000</, '$11000.01<'],
      ['quote', /<CmonRef>.{8}/, '<CmonRef>00000000'],
    ] as const
  ).map(([what, from, to]): Case => ({
    title: `an fxtr.017 with another ${what}`,
    id: 'I-5',
    also: ['I-9'],
    alter: (draft) => {
      const message = row(draft, 'messages', { subject_id: credited(draft), message_type: 'fxtr017' });
      rewrite(draft, message['message_id'], (text) => text.replaceAll(/>\s+</g, '><').replace(from, to));
    },
  })),
  {
    title: 'one quote carries two payments',
    id: 'I-6',
    also: ['I-11', 'I-5', 'I-9'],
    alter: (draft) => {
      const [one = '', other = ''] = uetrs(
        draft,
        { status: 'ACCC' },
        { corridor: 'SG-TH', quote_id: (id: unknown) => id !== null },
      );
      const [quote, second] = [one, other].map((uetr) =>
        String(row(draft, 'payments', { uetr })['quote_id']),
      );
      rewrite(draft, submitted(draft, other), (text) => text.replace(second ?? '', quote ?? ''));
      row(draft, 'payments', { uetr: other })['quote_id'] = quote;
      row(draft, 'quote_uses', { uetr: other })['quote_id'] = quote;
    },
  },
  {
    title: 'a quote is taken eleven minutes after it was issued',
    id: 'I-6',
    also: ['R:QUO-3', 'R:QUO-2'],
    alter: (draft) => {
      const { request } = amountsOfQuote(draft, credited(draft));
      request['issued_at'] = moved(String(request['issued_at']), -660_000);
    },
  },
  {
    title: 'a message that must be rejected is accepted',
    id: 'R:MSG-3',
    alter: (draft) => {
      const exchange = draft.exchanges.find(({ purpose }) => purpose === 'payment');
      if (exchange !== undefined) exchange.expected = { verdict: 'rejected', code: 'AB04' };
    },
  },
  {
    title: 'the ledger credits another amount',
    id: 'I-9',
    alter: (draft) => {
      const entry = draft.journal.find(booked(credited(draft)));
      if (entry !== undefined) entry.amount = '25157.39';
    },
  },
];
