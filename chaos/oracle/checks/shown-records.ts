// GET /payments/{uetr}: what parties read of a payment is what is on record of it at that moment, and nothing of the
// other side's messages (SEC-1).
import type { Exchange } from '../evidence.ts';
import { parseExactly } from '../read-evidence.ts';
import { instant } from '../rows.ts';
import type { Report } from '../verdict.ts';
import type { Payment, Stored, World } from '../world.ts';
import { deliveryFaults } from './shown-deliveries.ts';
import { faultsIn, memberFaults, sameTime, type IsThere, type Line, type Shown } from './shown-members.ts';
import { legsOf } from './sides.ts';

const lockMs = 5_000; // a decision's time is that of the begin of its statement; a lock may hold it up
const ourFaultMs = 10_000; // until a statement that a fault held up has been written

export function judgeShownRecords(world: World, report: Report): void {
  const shown = world.evidence.exchanges.filter(
    ({ method, path, status }) =>
      method === 'GET' && status === 200 && /^\/payments\/[0-9a-f-]{36}$/.test(path),
  );
  report.examined('R:SEC-1', 'records of payments that were shown', shown.length);
  for (const exchange of shown) judgeShown(world, report, exchange);
}

function judgeShown(world: World, report: Report, exchange: Exchange): void {
  const uetr = exchange.path.split('/')[2] ?? '';
  const stored = world.paymentOf.get(uetr);
  const told = parseExactly(exchange.responseBody ?? '') as Shown;
  if (stored === undefined) {
    // stored, and judged later or never
    if (['RCVD', 'REFUSED'].includes(told.status)) return;
    report.breach('I-10', `A payment was shown as ${told.status}, and there is none.`, uetr, [told]);
    return;
  }
  const isThere = thereAt(world, exchange);
  const own = legsOf(world, stored, exchange.client);
  const isSide = own !== undefined;
  const seesExchange = own?.join() !== 'destination';
  const payment = seesExchange ? stored : withoutExchange(stored);
  const wrong = [
    ...statusFaults(payment, told, exchange),
    ...factFaults(payment, told),
    ...messageFaults(world, told),
    ...missing(payment, told, exchange),
    ...memberFaults(world, { payment, told, isThere, isSide, seesExchange }),
    ...deliveryFaults(payment, told, isThere),
  ];
  if (wrong.length > 0)
    report.breach('I-4', 'What is shown of a payment is not what is on record.', uetr, [
      `${exchange.client} asked ${exchange.sentAt} to ${exchange.endedAt}`,
      ...wrong,
    ]);
  judgeSides(world, report, { payment, told, exchange });
}

/** OBS-5: quote and FX provider are the business of those who sent the payment; its destination does not see them. */
function withoutExchange(payment: Payment): Payment {
  const { row, decision, deliveries, events } = payment;
  const { notification, ...others } = deliveries;
  const isOfFxp = ({ kind, party }: (typeof events)[number]) =>
    kind.startsWith('notification.') || (notification !== undefined && party === notification.row.party);
  return {
    ...payment,
    row: { ...row, quote_id: null },
    decision: decision && { ...decision, notification_message_id: null },
    deliveries: others,
    events: events.filter((event) => !isOfFxp(event)),
  };
}

/** What was written so long before a question is there, unless the database, or who wrote it, was held up. */
function thereAt({ quiet }: World, { sentAt }: Exchange): IsThere {
  const askedAt = instant(sentAt);
  return (writtenAt) => writtenAt < askedAt - lockMs && !quiet.isOursBroken(writtenAt, askedAt, ourFaultMs);
}

function statusFaults(
  { decision, decidedAt, judgedAt }: Payment,
  told: Shown,
  { sentAt, endedAt }: Exchange,
): readonly string[] {
  const due = new Set<string>();
  if (decision === undefined || (decidedAt ?? 0) > instant(sentAt) - lockMs) due.add('ACTC');
  if (judgedAt > instant(sentAt) - lockMs) due.add('RCVD');
  if (decision !== undefined && (decidedAt ?? 0) <= instant(endedAt) + 5) due.add(decision.status);
  return due.has(told.status) ? [] : [`status: ${told.status} instead of ${[...due].join(' or ')}`];
}

function factFaults({ row, decision, deadlineAt, deliveries }: Payment, told: Shown): readonly string[] {
  if (told.status === 'RCVD') return [];
  const due = deadlineAt === undefined || !row.accepted ? null : new Date(deadlineAt).toISOString();
  const lines: readonly Line[] = [
    ['sourceClearingSystem', told.sourceClearingSystem, row.source_clearing_system],
    ['destinationClearingSystem', told.destinationClearingSystem, row.destination_clearing_system],
    ['quoteId', told.quoteId, row.quote_id],
    ...(row.accepted ? [['deadlineAt', sameTime(told.deadlineAt, due), true] as const] : []),
    ...(told.decision === null
      ? []
      : ([
          ['decision.status', told.decision.status, decision?.status],
          ['decision.reasonCode', told.decision.reasonCode, decision?.reason_code],
          ['decision.decidedBy', told.decision.decidedBy, decision?.decided_by],
          ['decision.decidedAt', sameTime(told.decision.decidedAt, decision?.decided_at ?? null), true],
          ['status', told.status, decision?.status],
        ] as const)),
    // what counts as delivered was taken by somebody
    ...told.deliveries
      .filter(({ kind, deliveredAt }) => kind !== 'instruction' && deliveredAt !== null)
      .map(({ kind }): Line => [
        `delivered ${kind}`,
        deliveries[kind]?.attempts.some(({ httpStatus = 0 }) => httpStatus >= 200 && httpStatus < 300),
        true,
      ]),
  ];
  return faultsIn(lines);
}

function messageFaults({ messageOf }: World, { messages }: Shown): readonly string[] {
  return messages.flatMap((one) => {
    const stored = messageOf.get(one.messageId);
    if (stored === undefined) return [`message ${one.messageId}: not stored`];
    const lines: readonly Line[] = [
      ['leg', one.leg, stored.row.leg],
      ['status', one.status, stored.row.status],
      ['reasonCode', one.reasonCode, stored.row.reason_code],
      ['sha256', one.sha256, stored.sha256],
    ];
    return faultsIn(lines, `message ${one.messageId} `);
  });
}

/** What was on record long before, and is not shown. */
function missing(
  { submission, reports, decision }: Payment,
  told: Shown,
  { sentAt }: Exchange,
): readonly string[] {
  const shown = new Set(told.messages.map(({ messageId }) => messageId));
  const isOld = ({ createdAt }: Stored) => createdAt < instant(sentAt) - lockMs;
  const due = [...(submission === undefined ? [] : [submission]), ...reports]
    .filter(isOld)
    .map(({ row }) => row.message_id);
  const ofDecision =
    told.decision === null ? [] : [decision?.report_message_id, decision?.callback_message_id];
  return [...due, ...ofDecision.flatMap((id) => id ?? [])]
    .filter((id) => !shown.has(id))
    .map((id) => `message ${id}: not shown`);
}

/** SEC-1: by one of its two sides, which may read the messages of its own leg, and sees nothing of security. */
function judgeSides(
  world: World,
  report: Report,
  {
    payment,
    told,
    exchange,
  }: { readonly payment: Payment; readonly told: Shown; readonly exchange: Exchange },
): void {
  const { uetr } = payment;
  const { client } = exchange;
  const own = legsOf(world, payment, client);
  if (own === undefined) return;
  if (own.length === 0) {
    report.breach('R:SEC-1', 'A payment was shown to somebody who has no part in it.', uetr, [
      `to ${client}`,
    ]);
    return;
  }
  const readable = told.messages.filter(({ href, leg }) => href !== null && !own.includes(leg));
  const mayBeListed = (leg: string, party: string) =>
    leg === 'fxp' ? own.includes('source') : party === partyOf(payment, leg);
  const unlisted = told.messages.filter(({ leg, party }) => !mayBeListed(leg, party));
  const secrets = told.events.filter(({ severity }) => severity === 'security');
  const values = (told.difference?.fields ?? []).filter((one) => 'received' in one || 'forwarded' in one);
  const foreign = [...readable, ...unlisted, ...secrets, ...(own.length < 2 ? values : [])];
  if (foreign.length > 0)
    report.breach('R:SEC-1', "A party was shown what is the other side's or the operators'.", uetr, [
      `to ${client}`,
      ...foreign,
    ]);
  const [leg] = own;
  const hidden = told.messages.filter(
    (one) =>
      own.length === 1 && one.leg === leg && one.href !== `/payments/${uetr}/messages/${one.messageId}`,
  );
  if (hidden.length > 0)
    report.breach('R:SEC-1', 'A party cannot read a message of its own leg.', uetr, [
      `to ${client}`,
      ...hidden,
    ]);
}

const partyOf = ({ row }: Payment, leg: string) =>
  leg === 'source' ? row.source_clearing_system : row.destination_clearing_system;
