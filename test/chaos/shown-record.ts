// What GET /payments/{uetr} shows, made of the rows of the clean evidence, so that a case can alter it.
import { fieldsOf, pathsThatDiffer } from '../../chaos/oracle/checks/difference.ts';
import { readMessage } from '../../chaos/oracle/read-message.ts';
import {
  attempts,
  credited,
  moved,
  row,
  rows,
  silent,
  textOf,
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

const decisionShown = (decision: DraftRow) => ({
  status: decision['status'],
  reasonCode: decision['reason_code'],
  ruleId: decision['rule_id'],
  decidedBy: decision['decided_by'],
  decidedAt: decision['decided_at'],
  reportMessageId: decision['report_message_id'],
  callbackMessageId: decision['callback_message_id'],
  confirmationMessageId: decision['confirmation_message_id'],
  notificationMessageId: decision['notification_message_id'],
});

export type ShownRecord = ReturnType<typeof recordOf>;

/** A record as it is, with something else in its place. */
export type Change = (shown: ShownRecord) => object;

function recordOf(draft: Draft, uetr: string) {
  const payment = row(draft, 'payments', { uetr });
  const decision = rows(draft, 'decisions').find((one) => one['uetr'] === uetr);
  return {
    uetr,
    status: decision?.['status'] ?? 'ACTC',
    sourceClearingSystem: payment['source_clearing_system'],
    destinationClearingSystem: payment['destination_clearing_system'],
    corridor: payment['corridor'],
    priority: payment['priority'],
    receivedAt: row(draft, 'messages', { message_id: payment['message_id'] })['created_at'],
    judgedAt: payment['judged_at'],
    acceptanceDateTime: payment['acceptance_at'],
    deadlineAt: payment['deadline_at'],
    quoteId: payment['quote_id'],
    decision: decision === undefined ? null : decisionShown(decision),
    messages: messagesShown(draft, uetr),
    deliveries: deliveriesShown(draft, uetr),
    events: eventsShown(draft, uetr),
    difference: differenceShown(draft, payment),
  };
}

const evidenceOf = (uetr: string, client: string, shown: object) => ({
  api: 'api-1',
  client,
  method: 'GET' as const,
  path: `/payments/${uetr}`,
  purpose: 'evidence',
  uetr,
  status: 200,
  responseBody: JSON.stringify(shown),
});

/** GET /payments/{uetr} by the debtor agent, after the end. */
export function show(draft: Draft, client: string, change: Change, uetr = credited(draft)): void {
  const { decided_at: decidedAt } = row(draft, 'decisions', { uetr });
  draft.exchanges.push({
    ...evidenceOf(uetr, client, change(recordOf(draft, uetr))),
    sentAt: moved(String(decidedAt), 19_000),
    endedAt: moved(String(decidedAt), 19_020),
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

type ShownAttempt = ShownRecord['deliveries'][number]['attempts'][number];

/** The record of a payment whose destination has not answered yet, while its first instruction is under way. */
export function showUnderWay(draft: Draft, change: (attempt: ShownAttempt) => object): void {
  const uetr = silent(draft);
  const [payment, [attempt]] = [row(draft, 'payments', { uetr }), attempts(draft, uetr, 'instruction')];
  const at = moved(String(attempt?.['started_at']), 2);
  const shown = recordOf(draft, uetr);
  const open = { finishedAt: null, outcome: null, httpStatus: null, durationMs: null, errorClass: null };
  const deliveries = shown.deliveries.map((one) => ({
    ...one,
    deliveredAt: null,
    attempts: one.attempts.slice(0, 1).map((first) => change({ ...first, ...open })),
  }));
  draft.exchanges.push({
    ...evidenceOf(uetr, String(payment['source_clearing_system']), { ...shown, deliveries }),
    sentAt: at,
    endedAt: at,
  });
}
