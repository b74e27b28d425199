// What answers, alerts and security events say of messages and payments, and should not: MSG-11, DUP-2, PAY-7, PAY-8,
// RES-4.
import {
  contradicted,
  credited,
  drop,
  rewrite,
  row,
  rows,
  silent,
  textOf,
  type Case,
  type Draft,
  type DraftRow,
} from './altered.ts';

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

function changeDetail(draft: Draft, kind: string, other: object): void {
  const told = event(draft, kind);
  told['detail'] = { ...(told['detail'] as object), ...other };
}

/** At the end of the load. */
function addEvent(draft: Draft, values: DraftRow): void {
  const occurredAt = draft.run.loadEndedAt;
  rows(draft, 'audit_events').push({ audit_event_id: '900000', occurred_at: occurredAt, ...values });
}

/** A report by a system that has no part in the payment, and what is on record of it. */
function refuseReport(
  draft: Draft,
  status: string,
  detail: object,
  kind = 'report.not-the-destination',
): void {
  const uetr = credited(draft);
  const { report_message_id: id } = row(draft, 'decisions', { uetr });
  const requestBody = textOf(draft, id).replace(/<TxSts>\w+/, `<TxSts>${status}`);
  const at = { sentAt: draft.run.loadEndedAt, endedAt: draft.run.loadEndedAt };
  draft.exchanges.push({
    ...at,
    api: 'api-1',
    client: 'JPYZGIN',
    method: 'POST',
    path: '/iso20022/pacs002',
    purpose: 'report/by-another-system',
    uetr,
    status: 403,
    requestBody,
  });
  addEvent(draft, { severity: 'security', kind, subject_id: uetr, party: 'JPYZGIN', detail });
}

export const toldCases: readonly Case[] = [
  ...(
    [
      [
        'the MsgId of the payment, not that of the message',
        'other-msgid',
        /<OrgnlMsgId>.*?</,
        '<OrgnlMsgId>1<',
      ],
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
  {
    title: 'a contradiction is told the wrong way round',
    id: 'R:PAY-7',
    alter: (draft) => changeDetail(draft, 'payment.contradiction', { decided: 'RJCT', reported: 'ACCC' }),
  },
  {
    title: 'a contradiction is told without the reason of the final',
    id: 'R:PAY-7',
    alter: (draft) => changeDetail(draft, 'payment.contradiction', { reportedReason: null }),
  },
  {
    title: 'a contradiction is told of another system',
    id: 'R:PAY-7',
    alter: (draft) => {
      event(draft, 'payment.contradiction')['party'] = 'JPYZGIN';
    },
  },
  {
    title: 'the alert of a dead letter gives another reason than it ended for',
    id: 'I-17',
    alter: (draft) => changeDetail(draft, 'delivery.dead-letter', { reason: 'expired' }),
  },
  {
    title: 'a dead letter is taken back that never was one',
    id: 'I-17',
    alter: (draft) => {
      const alert = event(draft, 'delivery.dead-letter');
      const delivered = row(draft, 'deliveries', { subject_id: credited(draft), kind: 'callback' });
      addEvent(draft, {
        severity: 'info',
        kind: 'delivery.taken-after-all',
        subject_id: delivered['subject_id'],
        party: delivered['party'],
        detail: {
          ...(alert['detail'] as object),
          deliveryId: delivered['delivery_id'],
          status: 'ACCC',
          reasonCode: undefined,
        },
      });
    },
  },
  {
    title: 'an alert is on record as information',
    id: 'I-17',
    also: ['R:PAY-7'],
    alter: (draft) => {
      event(draft, 'payment.contradiction')['severity'] = 'info';
    },
  },
  {
    title: 'a refused report is on record without the status that it stated',
    id: 'R:PAY-8',
    alter: (draft) => refuseReport(draft, 'ACCC', {}),
  },
  {
    title: 'a refused report is on record as one of another kind',
    id: 'R:PAY-8',
    alter: (draft) => refuseReport(draft, 'ACCC', { reported: 'ACCC' }, 'report.original-ids-differ'),
  },
  {
    title: 'a destination is on record as none',
    id: 'R:PAY-8',
    alter: (draft) => {
      const uetr = credited(draft);
      const { destination_clearing_system: party } = row(draft, 'payments', { uetr });
      const told = { severity: 'security', subject_id: uetr, party, detail: { reported: 'ACCC' } };
      addEvent(draft, { ...told, kind: 'report.not-the-destination' });
    },
  },
  {
    title: 'a reason that is not listed is passed on, and is not on record',
    id: 'R:RES-4',
    alter: (draft) => {
      const answer = row(draft, 'resolution_answers', { reason_code: 'RC06' });
      answer['reason_code'] = 'MS03';
      for (const id of [answer['report_message_id'], answer['answer_message_id']]) {
        rewrite(draft, id, (text) => text.replace('>RC06<', '>MS03<'));
        row(draft, 'messages', { message_id: id })['reason_code'] = 'MS03';
      }
    },
  },
  {
    title: 'a reason that is listed is on record as not listed',
    id: 'R:RES-4',
    alter: (draft) => {
      const { resolution_id: id } = row(draft, 'resolution_answers', { reason_code: 'RC06' });
      const told = { severity: 'info', subject_id: id, party: null, detail: { reasonCode: 'RC06' } };
      addEvent(draft, { ...told, kind: 'resolution.reason-unlisted' });
    },
  },
  {
    title: "a party's answer to an enquiry is neither stored nor refused",
    id: 'R:RES-1',
    also: ['R:RES-3'],
    alter: (draft) => {
      const answer = row(draft, 'resolution_answers', { reason_code: 'RC06' });
      drop(draft, 'messages', { message_id: answer['report_message_id'] });
    },
  },
  {
    title: 'an alert tells of the answer of a destination that was not asked',
    id: 'R:PAY-8',
    alter: (draft) => {
      const detail = { reason: 'not a whole message' };
      const told = { severity: 'alert', subject_id: credited(draft), party: 'JPYZGIN', detail };
      addEvent(draft, { ...told, kind: 'destination.answer-refused' });
    },
  },
  {
    title: 'an execution of another payment was ended as stuck',
    id: 'R:LIF-2',
    alter: (draft) => {
      const workflowId = `pacs008/${contradicted(draft)}`;
      const told = { severity: 'alert', subject_id: credited(draft), party: null, detail: { workflowId } };
      addEvent(draft, { ...told, kind: 'execution.stuck' });
    },
  },
  {
    title: 'the sweep tells of a final that nobody gave',
    id: 'R:LIF-2',
    also: ['I-20'],
    alter: (draft) => {
      const told = { severity: 'info', subject_id: silent(draft), party: null, detail: { found: 'finals' } };
      addEvent(draft, { ...told, kind: 'sweep.started-again' });
    },
  },
  {
    title: 'an alert asks for the address of another FX provider',
    id: 'R:NOT-1',
    alter: (draft) => {
      const told = { severity: 'alert', subject_id: credited(draft), party: 'ORBIDES0', detail: {} };
      addEvent(draft, { ...told, kind: 'notification.no-endpoint' });
    },
  },
  {
    title: 'a security event tells of another question that was the first of its MsgId',
    id: 'R:DUP-2',
    alter: (draft) => {
      const { resolution_id: id } = row(draft, 'resolution_answers', { reason_code: 'RC06' });
      const told = { severity: 'security', subject_id: id, party: 'SGDFAST', detail: { messageId: id } };
      addEvent(draft, { ...told, kind: 'resolution.content-changed' });
    },
  },
  {
    title: 'a message could not be answered at all',
    id: 'R:SEC-9',
    alter: (draft) => {
      const told = { severity: 'alert', subject_id: credited(draft), party: null, detail: {} };
      addEvent(draft, { ...told, kind: 'message.unanswerable' });
    },
  },
];
