// Mistakes in the content and the addresses of messages: I-7, I-11, PAY-9, RES-1, RES-3.
import {
  attempts,
  credited,
  drop,
  first,
  moved,
  rewrite,
  row,
  rows,
  silent,
  uetrs,
  type Case,
  type Draft,
} from './altered.ts';

const forwarded = (draft: Draft) => row(draft, 'payments', { uetr: credited(draft) })['forwarded_message_id'];
const compact = (text: string) => text.replaceAll(/>\s+</g, '><');

/** What a forgotten or wrong line in the builder of the forwarded pacs.008 would do. */
const forwardedMistakes: readonly (readonly [string, RegExp, string])[] = [
  [
    'swaps debtor and creditor account',
    /<DbtrAcct>(.*?)<\/DbtrAcct>(.*)<CdtrAcct>(.*?)<\/CdtrAcct>/s,
    '<DbtrAcct>$3</DbtrAcct>$2<CdtrAcct>$1</CdtrAcct>',
  ],
  ['keeps the source amount', /(<IntrBkSttlmAmt Ccy="THB">)[\d.]+/, '$11000'],
  [
    'swaps the instructing and the instructed agent',
    /<InstgAgt>(.*?)<\/InstgAgt><InstdAgt>(.*?)<\/InstdAgt>/s,
    '<InstgAgt>$2</InstgAgt><InstdAgt>$1</InstdAgt>',
  ],
  ['changes the fee of the creditor agent', /(<Amt Ccy="THB">)[\d.]+/, '$175'],
];

export const messageCases: readonly Case[] = [
  ...forwardedMistakes.map(([what, from, to]): Case => ({
    title: `the forwarded pacs.008 ${what}`,
    id: 'I-11',
    also: ['I-9'],
    alter: (draft) => rewrite(draft, forwarded(draft), (text) => compact(text).replace(from, to)),
  })),
  {
    title: 'an outgoing message is not valid',
    id: 'I-11',
    alter: (draft) =>
      rewrite(draft, forwarded(draft), (text) => compact(text).replace('<NbOfTxs>1<', '<NbOfTxs>one<')),
  },
  {
    title: 'two messages have one MsgId',
    id: 'I-11',
    also: ['R:CBK-1'],
    alter: (draft) => {
      const [one = '', other = ''] = uetrs(draft, { status: 'ACCC' });
      const [first_, second] = [one, other].map((uetr) =>
        row(draft, 'messages', { message_id: row(draft, 'decisions', { uetr })['callback_message_id'] }),
      );
      const [id, old] = [
        String(first_?.['message_identification']),
        String(second?.['message_identification']),
      ];
      rewrite(draft, second?.['message_id'], (text) => text.replace(old, id));
      Object.assign(second ?? {}, { message_identification: id });
    },
  },
  {
    title: 'what arrives is not what is stored',
    id: 'I-11',
    also: ['I-2', 'I-17'],
    alter: (draft) => {
      const uetr = credited(draft);
      const entry = draft.journal.find((one) => one.uetr === uetr && one.kind === 'pacs008');
      if (entry !== undefined) Object.assign(entry, { sha256: '00' });
    },
  },
  {
    title: 'the reason of the destination is not passed on',
    id: 'I-11',
    alter: (draft) => {
      const uetr = first(uetrs(draft, { status: 'RJCT', decided_by: 'destination' }));
      const { callback_message_id: id } = row(draft, 'decisions', { uetr });
      rewrite(draft, id, (text) => text.replace('AC04', 'AC06'));
    },
  },
  {
    title: 'no confirmation is sent to a destination that decided by its HTTP answer',
    id: 'R:PAY-9',
    alter: (draft) => {
      const uetr = first(uetrs(draft, { status: 'BLCK' }));
      drop(draft, 'deliveries', { subject_id: uetr, kind: 'confirmation' });
      draft.journal = draft.journal.filter(
        (entry) =>
          entry.uetr !== uetr ||
          entry.kind !== 'pacs002' ||
          entry.direction !== 'received' ||
          entry.party.startsWith('source/'),
      );
    },
    also: ['I-11'],
  },
  {
    title: 'a destination is not told of the rejection at the deadline',
    id: 'R:TIM-1',
    alter: (draft) => {
      const uetr = first(uetrs(draft, { reason_code: 'AB03', decided_by: 'gateway' }));
      drop(draft, 'deliveries', { subject_id: uetr, kind: 'confirmation' });
      draft.journal = draft.journal.filter(
        (entry) => entry.uetr !== uetr || entry.kind !== 'pacs002' || entry.party.startsWith('source/'),
      );
    },
    also: ['I-11'],
  },
  {
    title: 'a destination is told another status',
    id: 'R:PAY-9',
    also: ['I-4', 'I-11'],
    alter: (draft) => {
      const uetr = first(uetrs(draft, { status: 'BLCK' }));
      rewrite(draft, row(draft, 'decisions', { uetr })['confirmation_message_id'], (text) =>
        text.replace('>BLCK<', '>ACCC<'),
      );
      for (const entry of draft.journal) {
        if (
          entry.uetr === uetr &&
          entry.direction === 'received' &&
          entry.party.startsWith('destination/') &&
          entry.kind === 'pacs002'
        )
          entry.status = 'ACCC';
      }
    },
  },
  {
    title: 'a party finds a rule broken',
    id: 'R:PAY-9',
    alter: (draft) => {
      const entry = draft.journal.find(
        ({ kind, direction }) => kind === 'pacs002' && direction === 'received',
      );
      if (entry !== undefined) entry.violation = 'PAY-9: the original ids are not those of our pacs.008';
    },
  },
  {
    title: 'a name in an answer is masked',
    id: 'R:RES-3',
    alter: (draft) => {
      const answer = rows(draft, 'resolution_answers').find((one) => one['verified'] === true);
      rewrite(draft, answer?.['answer_message_id'], (text) => text.replace('Somchai', 'S******'));
    },
  },
  {
    title: 'somebody connects to an address that is not registered',
    id: 'I-7',
    alter: (draft) => {
      draft.run.trapConnections = [{ at: draft.run.startedAt, address: '127.0.0.1:4444' }];
    },
  },
  {
    title: 'an attempt goes to an address that is not registered',
    id: 'I-7',
    alter: (draft) => {
      const [attempt] = attempts(draft, silent(draft), 'instruction');
      Object.assign(attempt ?? {}, { url: 'http://127.0.0.1:4444/iso20022/pacs008' });
    },
  },
  {
    title: 'a callback goes to an address that its source never named',
    id: 'I-7',
    alter: (draft) => {
      const [attempt] = attempts(draft, credited(draft), 'callback');
      Object.assign(attempt ?? {}, { url: String(attempt?.['url']).replace('SGDFAST', 'MYRRPP') });
    },
  },
  {
    title: 'the gateway answers before the deadline that nobody answered',
    id: 'R:RES-1',
    alter: (draft) => {
      const answer = row(draft, 'resolution_answers', { rule_id: 'RES-1' });
      answer['answered_at'] = moved(String(answer['answered_at']), -1_000);
    },
  },
];
