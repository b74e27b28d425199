// What is read of payments and rates, and shows too little, too much or something else (SEC-1, FX-9, I-4).
import { fieldsOf, pathsThatDiffer } from '../../chaos/oracle/checks/difference.ts';
import { readMessage } from '../../chaos/oracle/read-message.ts';
import {
  attempts,
  contradicted,
  credited,
  moved,
  row,
  rows,
  textOf,
  type Case,
  type Draft,
  type DraftRow,
} from './altered.ts';

const identifiers: Readonly<Record<string, string>> = {
  pacs008: 'pacs.008.001.13',
  pacs002: 'pacs.002.001.15',
  fxtr017: 'fxtr.017.001.06',
};

/** The messages of a payment, as its source's side reads them. */
function messagesShown(draft: Draft, uetr: string) {
  return rows(draft, 'messages')
    .filter((one) => one['subject_id'] === uetr)
    .map((one) => ({
      messageId: one['message_id'],
      message: identifiers[String(one['message_type'])],
      messageIdentification: one['message_identification'],
      direction: one['direction'],
      leg: one['leg'],
      party: one['party'],
      at: one['created_at'],
      status: one['status'],
      reasonCode: one['reason_code'],
      inReplyTo: one['in_reply_to'],
      sha256: String(one['sha256']).slice(2),
      size: Buffer.byteLength(textOf(draft, one['message_id'])),
      href: one['leg'] === 'source' ? `/payments/${uetr}/messages/${String(one['message_id'])}` : null,
    }));
}

/** Its deliveries, long after they ended. */
function deliveriesShown(draft: Draft, uetr: string) {
  return rows(draft, 'deliveries')
    .filter((one) => one['subject_id'] === uetr)
    .map((one) => ({
      kind: one['kind'],
      messageId: one['message_id'],
      party: one['party'],
      askedAt: one['asked_at'],
      nextDueAt: null,
      deliveredAt: one['delivered_at'],
      closedAt: one['closed_at'],
      closedReason: one['closed_reason'],
      attempts: attempts(draft, uetr, String(one['kind'])).map((attempt) => ({
        attempt: attempt['attempt'],
        startedAt: attempt['started_at'],
        finishedAt: attempt['finished_at'],
        outcome: attempt['outcome'],
        httpStatus: attempt['http_status'],
        durationMs: attempt['duration_ms'],
        errorClass: attempt['error_class'],
      })),
    }));
}

/** Where the two pacs.008 of a payment differ: every field that is in one of them. */
function differenceShown(draft: Draft, payment: DraftRow) {
  const fieldsIn = (id: unknown) => [...fieldsOf(readMessage(textOf(draft, id))?.root)];
  const { message_id: received, forwarded_message_id: forwarded } = payment;
  const [before, after] = [new Map(fieldsIn(received)), new Map(fieldsIn(forwarded))];
  return {
    receivedMessageId: received,
    forwardedMessageId: forwarded,
    fields: pathsThatDiffer(before, after).map((path) => ({
      receivedXpath: before.has(path) ? path : null,
      forwardedXpath: after.has(path) ? path : null,
    })),
  };
}

/** A side is told nothing of security. */
function eventsShown(draft: Draft, uetr: string) {
  return rows(draft, 'audit_events')
    .filter((one) => one['subject_id'] === uetr && one['severity'] !== 'security')
    .map(({ occurred_at: at, severity, kind, party, detail }) => ({ at, severity, kind, party, detail }));
}

/** A record as it is, with something else in its place. */
type Change = (shown: ReturnType<typeof recordOf>) => object;

function recordOf(draft: Draft, uetr: string) {
  const [payment, decision] = [row(draft, 'payments', { uetr }), row(draft, 'decisions', { uetr })];
  return {
    uetr,
    status: decision['status'],
    sourceClearingSystem: payment['source_clearing_system'],
    destinationClearingSystem: payment['destination_clearing_system'],
    corridor: payment['corridor'],
    priority: payment['priority'],
    receivedAt: row(draft, 'messages', { message_id: payment['message_id'] })['created_at'],
    judgedAt: payment['received_at'],
    acceptanceDateTime: payment['acceptance_at'],
    deadlineAt: payment['deadline_at'],
    quoteId: payment['quote_id'],
    decision: {
      status: decision['status'],
      reasonCode: decision['reason_code'],
      ruleId: decision['rule_id'],
      decidedBy: decision['decided_by'],
      decidedAt: decision['decided_at'],
      reportMessageId: decision['report_message_id'],
      callbackMessageId: decision['callback_message_id'],
      confirmationMessageId: decision['confirmation_message_id'],
      notificationMessageId: decision['notification_message_id'],
    },
    messages: messagesShown(draft, uetr),
    deliveries: deliveriesShown(draft, uetr),
    events: eventsShown(draft, uetr),
    difference: differenceShown(draft, payment),
  };
}

/** GET /payments/{uetr} by the debtor agent, after the end. */
function show(draft: Draft, client: string, change: Change, uetr = credited(draft)): void {
  const { decided_at: decidedAt } = row(draft, 'decisions', { uetr });
  draft.exchanges.push({
    sentAt: moved(String(decidedAt), 19_000),
    endedAt: moved(String(decidedAt), 19_020),
    api: 'api-1',
    client,
    method: 'GET',
    path: `/payments/${uetr}`,
    purpose: 'evidence',
    uetr,
    status: 200,
    responseBody: JSON.stringify(change(recordOf(draft, uetr))),
  });
}

/**
 * The record of every payment that has ended, as its debtor agent reads it; without those that never left for their
 * destination, whose confirmation is not shown (PAY-9). @returns how many there are
 */
export function showAsItIs(draft: Draft): number {
  const ended = rows(draft, 'payments').filter(
    ({ uetr, debtor_agent_id: agent, accepted }) =>
      accepted === true &&
      agent === 'SG-LOTU' &&
      rows(draft, 'decisions').some((one) => one['uetr'] === uetr && one['reason_code'] !== 'ED06'),
  );
  for (const { uetr } of ended) show(draft, 'LOTUSGS0', (shown) => shown, String(uetr));
  return ended.length;
}

/** A delivery with another value in its only attempt. */
const withAttempt = (shown: ReturnType<typeof recordOf>, kind: string, other: object) =>
  shown.deliveries.map((one) =>
    one.kind === kind ? { ...one, attempts: one.attempts.map((attempt) => ({ ...attempt, ...other })) } : one,
  );

/** What stands in a record as it never was. */
const wrongRecords: readonly (readonly [title: string, change: Change])[] = [
  ['its corridor', (shown) => ({ ...shown, corridor: 'TH-SG' })],
  ['when it was judged', (shown) => ({ ...shown, judgedAt: moved(String(shown.judgedAt), 40) })],
  [
    'the MsgId of a message',
    (shown) => ({
      ...shown,
      messages: shown.messages.map((one) => ({ ...one, messageIdentification: 'OTHER' })),
    }),
  ],
  [
    'the message by which it was decided',
    (shown) => ({ ...shown, decision: { ...shown.decision, reportMessageId: null } }),
  ],
  ['no deliveries', (shown) => ({ ...shown, deliveries: [] })],
  [
    'a delivery that was taken as due',
    (shown) => ({ ...shown, deliveries: shown.deliveries.map((one) => ({ ...one, deliveredAt: null })) }),
  ],
  [
    'an attempt as not sent',
    (shown) => ({ ...shown, deliveries: withAttempt(shown, 'instruction', { outcome: 'NOT_SENT' }) }),
  ],
  [
    'an attempt that is over as open',
    (shown) => ({
      ...shown,
      deliveries: withAttempt(shown, 'instruction', {
        finishedAt: null,
        outcome: null,
        httpStatus: null,
        durationMs: null,
        errorClass: null,
      }),
    }),
  ],
  [
    'an attempt that took longer',
    (shown) => ({ ...shown, deliveries: withAttempt(shown, 'callback', { durationMs: 77_777 }) }),
  ],
  ['no field that differs', (shown) => ({ ...shown, difference: { ...shown.difference, fields: [] } })],
  [
    'an event that there is none of',
    (shown) => ({
      ...shown,
      events: [{ at: shown.judgedAt, severity: 'info', kind: 'payment.in-doubt', party: null, detail: {} }],
    }),
  ],
];

/** GET /payments/{uetr}/messages/{messageId} by the debtor agent. */
function showMessage(draft: Draft, uetr: string, leg: string, change: (text: string) => string): void {
  const { message_id: id, created_at: at } = row(draft, 'messages', { subject_id: uetr, leg });
  draft.exchanges.push({
    sentAt: moved(String(at), 9_000),
    endedAt: moved(String(at), 9_020),
    api: 'api-1',
    client: 'LOTUSGS0',
    method: 'GET',
    path: `/payments/${uetr}/messages/${String(id)}`,
    purpose: 'evidence-message',
    uetr,
    status: 200,
    responseBody: change(textOf(draft, id)),
  });
}

/** What a list of rates shows, from SG to TH, best first. */
function listRates(
  draft: Draft,
  change: (shown: readonly object[]) => readonly object[],
  asked: Partial<Draft['exchanges'][number]> = {},
): void {
  const bics = new Map([
    ['SG-MERI', 'MERISGS0'],
    ['HK-ZENI', 'ZENIHKS0'],
    ['DE-ORBI', 'ORBIDES0'],
    ['JP-POLA', 'POLAJPS0'],
  ]);
  const shown = rows(draft, 'rates')
    .filter((one) => one['expired_at'] === null)
    .filter((one) => one['source_country'] === 'SG' && one['destination_country'] === 'TH')
    .sort((one, other) => Number(other['exchange_rate']) - Number(one['exchange_rate']))
    .map((one) => ({
      rateId: one['rate_id'],
      fxpfinInstId: bics.get(String(one['fxp_id'])),
      sourceCountry: one['source_country'],
      sourceCurrency: one['source_currency'],
      destinationCountry: one['destination_country'],
      destinationCurrency: one['destination_currency'],
      exchangeRate: Number(one['exchange_rate']),
      threshold: Number(one['threshold']),
    }));
  draft.exchanges.push({
    sentAt: draft.run.healedAt,
    endedAt: moved(draft.run.healedAt, 20),
    api: 'api-1',
    client: 'LOTUSGS0',
    method: 'GET',
    path: '/rates/?sourceCountry=SG&sourceCurrency=SGD&destinationCountry=TH&destinationCurrency=THB',
    purpose: 'rates-listed',
    status: 200,
    responseBody: JSON.stringify({ rates: change(shown) }),
    ...asked,
  });
}

export const readerCases: readonly Case[] = [
  {
    title: 'a record leaves out what its destination said',
    id: 'I-4',
    alter: (draft) => {
      const { report_message_id: report } = row(draft, 'decisions', { uetr: credited(draft) });
      show(draft, 'LOTUSGS0', (shown) => ({
        ...shown,
        messages: shown.messages.filter(({ messageId }) => messageId !== report),
      }));
    },
  },
  {
    title: 'the record of a payment that is credited shows it as rejected',
    id: 'I-4',
    alter: (draft) => show(draft, 'LOTUSGS0', (shown) => ({ ...shown, status: 'RJCT' })),
  },
  {
    title: 'the record of a payment shows no decision after it',
    id: 'I-4',
    alter: (draft) => show(draft, 'LOTUSGS0', (shown) => ({ ...shown, status: 'ACTC', decision: null })),
  },
  ...wrongRecords.map(([what, change]): Case => ({
    title: `the record of a payment shows ${what}`,
    id: 'I-4',
    alter: (draft) => show(draft, 'LOTUSGS0', change),
  })),
  {
    title: 'the record of a payment leaves out its contradiction',
    id: 'I-4',
    alter: (draft) =>
      show(draft, 'LOTUSGS0', (shown) => ({ ...shown, events: [] }), contradicted(draft)),
  },
  {
    title: 'the record of a payment keeps a message from its own side',
    id: 'R:SEC-1',
    alter: (draft) =>
      show(draft, 'LOTUSGS0', (shown) => ({
        ...shown,
        messages: shown.messages.map((one) => ({ ...one, href: null })),
      })),
  },
  {
    title: 'the record of a payment shows the values of the other side',
    id: 'R:SEC-1',
    alter: (draft) =>
      show(draft, 'LOTUSGS0', ({ difference, ...shown }) => ({
        ...shown,
        difference: { ...difference, fields: difference.fields.map((one) => ({ ...one, received: '1' })) },
      })),
  },
  {
    title: 'the intermediary agents of a quote are told the wrong way round',
    id: 'R:QUO-9',
    alter: (draft) => {
      const { quote_id: id } = row(draft, 'payments', { uetr: credited(draft) });
      const agent = (country: string, currencyCode: string) => ({
        finInstId: { BICFI: [`HARB${country}S0`] },
        currencyCode,
        account: { otherId: `MERI-${country}-${currencyCode}` },
      });
      draft.exchanges.push({
        sentAt: draft.run.loadEndedAt,
        endedAt: draft.run.loadEndedAt,
        api: 'api-1',
        client: 'LOTUSGS0',
        method: 'GET',
        path: `/quotes/${String(id)}/intermediary-agents`,
        purpose: 'quote-agents',
        status: 200,
        responseBody: JSON.stringify({
          intermediaryAgent1: agent('TH', 'THB'),
          intermediaryAgent2: agent('SG', 'SGD'),
        }),
      });
    },
  },
  {
    title: 'the record of a payment is shown to a stranger',
    id: 'R:SEC-1',
    alter: (draft) => show(draft, 'LOTUMYS0', (shown) => shown),
  },
  {
    title: 'a message of a payment is shown to the other side',
    id: 'R:SEC-1',
    alter: (draft) => showMessage(draft, credited(draft), 'destination', (text) => text),
  },
  {
    title: 'a message of a payment is shown with another figure than it had',
    id: 'I-4',
    alter: (draft) => showMessage(draft, credited(draft), 'source', (text) => text.replace(/\d/, '7')),
  },
  {
    title: 'a current rate is left out of the list',
    id: 'R:FX-9',
    alter: (draft) => listRates(draft, (shown) => shown.slice(1)),
  },
  {
    title: 'the list of rates begins with the worst',
    id: 'R:FX-9',
    alter: (draft) => listRates(draft, (shown) => [...shown].reverse()),
  },
  {
    title: 'an FX provider is shown the rates of others',
    id: 'R:FX-9',
    alter: (draft) => listRates(draft, (shown) => shown, { client: 'MERISGS0', path: '/api/v1/rates' }),
  },
];
