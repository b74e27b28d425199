// What is read of payments and rates, and shows too little, too much or something else (SEC-1, FX-9, I-4).
import { credited, moved, row, rows, textOf, type Case, type Draft } from './altered.ts';

/** The messages of a payment, as its source's side reads them. */
function messagesShown(draft: Draft, uetr: string) {
  return rows(draft, 'messages')
    .filter((one) => one['subject_id'] === uetr)
    .map((one) => ({
      messageId: one['message_id'],
      leg: one['leg'],
      status: one['status'],
      reasonCode: one['reason_code'],
      sha256: String(one['sha256']).slice(2),
      href: one['leg'] === 'source' ? '/' : null,
    }));
}

/** GET /payments/{uetr} by the debtor agent, after the end. */
function show(draft: Draft, client: string, changes: Record<string, unknown>): void {
  const uetr = credited(draft);
  const [payment, decision] = [row(draft, 'payments', { uetr }), row(draft, 'decisions', { uetr })];
  const shown = {
    status: decision['status'],
    sourceClearingSystem: payment['source_clearing_system'],
    destinationClearingSystem: payment['destination_clearing_system'],
    quoteId: payment['quote_id'],
    deadlineAt: payment['deadline_at'],
    decision: {
      status: decision['status'],
      reasonCode: decision['reason_code'],
      decidedBy: decision['decided_by'],
      decidedAt: decision['decided_at'],
    },
    messages: messagesShown(draft, uetr),
    deliveries: [],
    events: [],
    ...changes,
  };
  draft.exchanges.push({
    sentAt: moved(String(decision['decided_at']), 9_000),
    endedAt: moved(String(decision['decided_at']), 9_020),
    api: 'api-1',
    client,
    method: 'GET',
    path: `/payments/${uetr}`,
    purpose: 'evidence',
    uetr,
    status: 200,
    responseBody: JSON.stringify(shown),
  });
}

/** GET /payments/{uetr}/messages/{messageId} by the debtor agent. */
function readMessage(draft: Draft, uetr: string, leg: string, change: (text: string) => string): void {
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
      const uetr = credited(draft);
      const { report_message_id: report } = row(draft, 'decisions', { uetr });
      const messages = messagesShown(draft, uetr).filter(({ messageId }) => messageId !== report);
      show(draft, 'LOTUSGS0', { messages });
    },
  },
  {
    title: 'the record of a payment that is credited shows it as rejected',
    id: 'I-4',
    alter: (draft) => show(draft, 'LOTUSGS0', { status: 'RJCT' }),
  },
  {
    title: 'the record of a payment shows no decision after it',
    id: 'I-4',
    alter: (draft) => show(draft, 'LOTUSGS0', { status: 'ACTC', decision: null }),
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
    alter: (draft) => show(draft, 'LOTUMYS0', {}),
  },
  {
    title: 'a message of a payment is shown to the other side',
    id: 'R:SEC-1',
    alter: (draft) => readMessage(draft, credited(draft), 'destination', (text) => text),
  },
  {
    title: 'a message of a payment is shown with another figure than it had',
    id: 'I-4',
    alter: (draft) => readMessage(draft, credited(draft), 'source', (text) => text.replace(/\d/, '7')),
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
