// What is read of payments and rates, and shows too little, too much or something else (SEC-1, FX-9, I-4).
import { contradicted, credited, moved, row, rows, textOf, type Case, type Draft } from './altered.ts';
import { show, showUnderWay, type Change, type ShownRecord } from './shown-record.ts';

/** A delivery with another value in its only attempt. */
const withAttempt = (shown: ShownRecord, kind: string, other: object) =>
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
export function listRates(
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
      fxpfinInstIdType: 'BICFI',
      fxpfinInstId: bics.get(String(one['fxp_id'])),
      sourceCountry: one['source_country'],
      sourceCurrency: one['source_currency'],
      destinationCountry: one['destination_country'],
      destinationCurrency: one['destination_currency'],
      exchangeRate: Number(one['exchange_rate']),
      threshold: Number(one['threshold']),
      createdDateTime: new Date(String(one['created_at'])).toISOString(),
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
    title: 'the record of a payment shows an attempt that is under way as not sent',
    id: 'I-4',
    alter: (draft) => showUnderWay(draft, (attempt) => ({ ...attempt, outcome: 'NOT_SENT' })),
  },
  {
    title: 'the record of a payment leaves out its contradiction',
    id: 'I-4',
    alter: (draft) => show(draft, 'LOTUSGS0', (shown) => ({ ...shown, events: [] }), contradicted(draft)),
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
