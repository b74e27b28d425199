// What answers, alerts and security events say of messages and payments, and should not: MSG-11, DUP-2, PAY-7, PAY-8,
// RES-4.
import { contradicted, credited, rewrite, row, rows, type Case, type Draft, type DraftRow } from './altered.ts';

/** A refused message, as it was sent, and its answer. */
function refused(draft: Draft, purpose: string) {
  const exchange = draft.exchanges.find((one) => one.purpose === purpose);
  if (exchange === undefined) throw new Error(`nobody sent ${purpose}`);
  const answer = rows(draft, 'messages').find(
    (one) =>
      Buffer.from(String(one['body']).slice(2), 'hex').toString('utf8') === (exchange.responseBody ?? ''),
  );
  if (answer === undefined) throw new Error(`${purpose} has no answer`);
  return { exchange, answer, message: row(draft, 'messages', { message_id: answer['in_reply_to'] }) };
}

const changeAnswer = (draft: Draft, purpose: string, from: RegExp, to: string) => {
  const { exchange, answer } = refused(draft, purpose);
  delete exchange.expected; // what it says by itself is judged elsewhere
  rewrite(draft, answer['message_id'], (text) => text.replace(from, to));
};

const event = (draft: Draft, kind: string): DraftRow => row(draft, 'audit_events', { kind });

export const toldCases: readonly Case[] = [
  ...(
    [
      ['the MsgId of the payment, not that of the message', 'other-msgid', /<OrgnlMsgId>.*?</, '<OrgnlMsgId>1<'],
      ['another end-to-end id', 'other-content', /<OrgnlEndToEndId>.*?</, '<OrgnlEndToEndId>E2E-9<'],
      ['another time of creation', 'other-content', /<OrgnlCreDtTm>20/, '<OrgnlCreDtTm>19'],
      ['its agents as they stood there', 'other-uetr', /<InstgAgt>.*?<\/InstgAgt>/s, ''],
    ] as const
  ).map(([what, purpose, from, to]): Case => ({
    title: `the answer to a refused message names ${what}`,
    id: 'I-11',
    alter: (draft) => changeAnswer(draft, purpose, from, to),
  })),
  {
    title: 'a refused message is answered ACTC',
    id: 'R:DUP-2',
    also: ['I-13', 'I-11'],
    alter: (draft) => changeAnswer(draft, 'other-msgid', />RJCT</, '>ACTC<'),
  },
  {
    title: 'a MsgId that is known is refused as a UETR that nobody used',
    id: 'R:DUP-2',
    also: ['I-11'],
    alter: (draft) => changeAnswer(draft, 'other-uetr', />DU01</, '>DUPL<'),
  },
  {
    title: 'a copy of a payment with a fault of its own is not told that the first stands',
    id: 'R:DUP-2',
    also: ['I-11'],
    alter: (draft) => {
      changeAnswer(draft, 'other-msgid', />DUPL</, '>AM09<');
      const { answer } = refused(draft, 'other-msgid');
      rewrite(draft, answer['message_id'], (text) => text.replace(/<AddtlInf>DUP-2/, '<AddtlInf>PAY-4'));
    },
  },
  {
    title: 'a report is on record with another reason than it states',
    id: 'I-11',
    alter: (draft) => {
      const { answer } = refused(draft, 'other-uetr');
      answer['reason_code'] = 'DUPL';
    },
  },
  {
    title: 'the security event of other content names another message',
    id: 'R:DUP-2',
    alter: (draft) => {
      const { message_id: messageId } = row(draft, 'payments', { uetr: credited(draft) });
      event(draft, 'payment.content-changed')['detail'] = { messageId };
    },
  },
  {
    title: 'the UETR of another source is told as other content of its own',
    id: 'R:DUP-2',
    alter: (draft) => {
      const { exchange, answer, message } = refused(draft, 'other-content');
      exchange.client = 'MYRRPP';
      for (const one of [answer, message, event(draft, 'payment.content-changed')]) one['party'] = 'MYRRPP';
    },
  },
  {
    title: 'the UETR of another source raises no security event',
    id: 'R:DUP-2',
    alter: (draft) => {
      const { exchange, answer, message } = refused(draft, 'other-msgid');
      exchange.client = 'MYRRPP';
      for (const one of [answer, message]) one['party'] = 'MYRRPP';
    },
  },
];
