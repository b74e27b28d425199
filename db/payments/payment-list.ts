// Lists payments, newest first. Uses keyset pagination by time and UETR, so that new payments do not shift
// the pages. Writes nothing.
import { sql } from 'kysely';
import type { ListPlace } from '../../core/list-place.ts';
import type {
  ListedPayment,
  ListScope,
  PaymentFilter,
  PaymentState,
} from '../../core/payments/payment-list.ts';
import { isAlert, isInDoubt } from '../records/audit.ts';
import { readListPage, type Look, type Scanned, type Slice } from '../pool/list-page.ts';
import { given, isFound, theOne, type Condition } from '../pool/statements.ts';
import type { Db } from '../pool/connection.ts';
import { isDead, isOfToldKind, isOpen } from '../deliveries/deliveries.ts';

export interface PaymentPage {
  readonly payments: readonly ListedPayment[];
  /** Position of the last payment of this page; undefined: there is no further page. */
  readonly next: ListPlace | undefined;
}

/** The side of a payment that the reader is on; `both` is for operators. */
type Side = 'source' | 'destination' | 'both';

/** Reads one page. Some filters have no index, such as reason, amount and status. */
export async function listPayments(
  db: Db,
  scope: ListScope,
  filter: PaymentFilter,
  page: { readonly limit: number; readonly after?: ListPlace },
  look?: Look,
): Promise<PaymentPage> {
  const sides = sidesOf(scope, filter);
  const { rows, next } = await readListPage(page, (slice) => readSlice(db, sides, { filter, slice }), look);
  return { payments: rows, next };
}

async function readSlice(
  db: Db,
  sides: readonly ScopedSide[],
  { filter, slice: { size, left, after } }: { readonly filter: PaymentFilter; readonly slice: Slice },
): Promise<readonly (ListedPayment & Scanned)[]> {
  const few = fewIn(filter);
  const scan = ({ side, mine }: ScopedSide) => {
    const conditions = [
      sql`true`,
      ...mine,
      ...indexedConditions(filter, side),
      ...given(few === undefined ? after : undefined, isBefore(sql`p.judged_at, p.uetr`)),
    ];
    return sql`(select ${sql.lit(side)} as side, p.uetr, p.begun_at, p.judged_at, p.corridor, p.priority,
        p.source_clearing_system, p.destination_clearing_system, p.debtor_agent_id, p.creditor_agent_id, p.fxp_id,
        p.source_amount, p.source_currency, p.destination_amount, p.destination_currency
      from ${few === undefined ? sql`payments p` : paymentsOf(few, after)} where ${sql.join(conditions, sql` and `)}
      order by ${few === undefined ? sql`p.judged_at desc, p.uetr desc` : newest} limit ${sql.lit(size)})`;
  };
  // primary keys serve all that is joined
  const { rows } = await sql<ListedPayment & Scanned>`
    with slice as materialized (
      select * from (${sql.join(sides.map(scan), sql` union all `)}) scanned
      order by judged_at desc, uetr desc limit ${sql.lit(size)}
    ),
    last as (
      select judged_at::text as "lastAt", uetr as "lastId", (select count(*)::int from slice) as scanned
      from slice order by judged_at, uetr limit 1
    ),
    page as (
      select p.side, p.uetr, p.begun_at from slice p left join ${decision} d on true
      where ${sql.join([sql`true`, ...otherConditions(filter)], sql` and `)}
      order by p.judged_at desc, p.uetr desc limit ${sql.lit(left + 1)}
    ),
    found as (
      select p.uetr as id, p.judged_at::text as at, p.uetr, ${status} as status, ${state} as state,
        d.reason_code as "reasonCode", d.rule_id as "ruleId", d.decided_by as "decidedBy",
        exists (select from audit_events e where e.subject_id = p.uetr and e.kind = 'payment.contradiction') as "isContradicted",
        p.source_clearing_system as "sourceSystem", p.destination_clearing_system as "destinationSystem",
        p.corridor, p.priority,
        case when ${ofSource} then p.source_amount::text end as "sourceAmount",
        case when ${ofSource} then p.source_currency end as "sourceCurrency",
        p.destination_amount::text as "destinationAmount",
        (p.destination_amount - p.creditor_agent_fee)::text as "creditorAccountAmount", p.destination_currency as "destinationCurrency",
        p.debtor_agent_id as "debtorAgentId", p.creditor_agent_id as "creditorAgentId",
        case when ${ofSource} then p.fxp_id end as "fxpId",
        case when ${ofSource} then p.quote_id end as "quoteId",
        p.source_references -> 'original' ->> 'endToEndId' as "endToEndId",
        p.judged_at as "judgedAt", p.deadline_at as "deadlineAt", d.decided_at as "decidedAt",
        (select count(*)::int ${told} and ${isOpen}) as "openDeliveries",
        (select count(*)::int ${told} and ${isDead}) as "deadLetters"
      from page cross join lateral (
        select page.side, one.* from payments one where one.uetr = page.uetr and one.begun_at = page.begun_at limit 1) p
      left join ${decision} d on true
    )
    select * from last left join found on true order by "judgedAt" desc, uetr desc`.execute(db);
  return rows;
}

const isBefore =
  (row: Condition) =>
  ({ at, id }: ListPlace): Condition =>
    sql`(${row}) < (${at}::timestamptz, ${id}::uuid)`;

const decision = theOne(sql`decisions where uetr = p.uetr and begun_at = p.begun_at`);

interface ScopedSide {
  readonly side: Side;
  readonly mine: readonly Condition[];
}

/** Queries each side separately, so that each uses its own index. */
function sidesOf(scope: ListScope, { clearingSystem }: PaymentFilter): readonly ScopedSide[] {
  const party = scope.of === 'all' ? clearingSystem : scope.id;
  if (party === undefined) return [{ side: 'both', mine: [] }];
  const [sent, received] =
    scope.of === 'institution'
      ? [sql`p.debtor_agent_id = ${party}`, sql`p.creditor_agent_id = ${party}`]
      : [sql`p.source_clearing_system = ${party}`, sql`p.destination_clearing_system = ${party}`];
  const notSent = sql`(${sent}) is not true`;
  if (scope.of === 'all')
    return [
      { side: 'both', mine: [sent] },
      { side: 'both', mine: [received, notSent] },
    ];
  return [
    { side: 'source', mine: [sent] },
    { side: 'destination', mine: [received, notSent, mayHaveBeenSeen] },
  ];
}

/** SQL: whether to show the quote and the FX provider. Only the source's side may see them. */
const ofSource = sql`p.side <> 'destination'`;

/**
 * SQL: whether the destination may have seen the payment. Until then its side must not see the payment here.
 * Served by the unique index on (subject_id, kind), and by index messages_subject_id.
 */
const mayHaveBeenSeen = sql`(
  ${isFound(sql`deliveries i where i.subject_id = p.uetr and i.kind = 'instruction' and i.possibly_sent > 0`)}
  or ${isFound(sql`messages m where m.subject_id = p.uetr and m.direction = 'in' and m.leg = 'destination'`)})`;

const told = sql`from deliveries where subject_id = p.uetr and ${isOfToldKind}`; // served by the unique index on (subject_id, kind)
const isOneInDoubt = isInDoubt(sql`p.uetr`);
const status = sql`coalesce(d.status, case when ${isOneInDoubt} then 'INDOUBT' else 'ACTC' end)`;
const state = sql`case
  when d.uetr is null then case when ${isOneInDoubt} then 'in-doubt' else 'waiting' end
  when exists (select ${told} and ${isDead}) then 'dead-letter'
  when exists (select ${told} and ${isOpen}) then 'telling'
  else 'done' end`;

/** Conditions over the deliveries of states that few payments have. */
const undecided = sql`kind = 'instruction' and closed_at is null`; // index deliveries_undecided
/**
 * SQL: the payments that came in doubt since the oldest undecided payment began. Served by index audit_events_alerts.
 * `is true` keeps the planner from a join. It hashes this short list once, however many payments are undecided.
 */
const areInDoubt = sql`(subject_id in (
  select e.subject_id from audit_events e
  where ${isAlert} and e.kind = 'payment.in-doubt'
    and e.occurred_at >= (select min(begun_at) from deliveries where ${undecided})))`;
const foundBy: Readonly<Partial<Record<PaymentState, Condition>>> = {
  waiting: sql`${undecided} and ${areInDoubt} is not true`,
  'in-doubt': sql`${undecided} and ${areInDoubt} is true`,
  telling: sql`${isOfToldKind} and ${isOpen}`, // index deliveries_open
  'dead-letter': sql`${isOfToldKind} and ${isDead}`, // index deliveries_dead
};

function fewIn({ state: wanted, statuses }: PaymentFilter): Condition | undefined {
  const isUndecided = statuses?.every((one) => one === 'ACTC' || one === 'INDOUBT') === true;
  return (wanted && foundBy[wanted]) ?? (isUndecided ? undecided : undefined);
}

/**
 * SQL: the payments `p` with such a delivery, newest first. `offset 0` keeps the planner from walking all payments, which it
 * does if it expects many such deliveries. A delivery has its payment's begun_at, which is its judged_at.
 */
const paymentsOf = (deliveries: Condition, after: ListPlace | undefined) => sql`(
    select distinct begun_at, subject_id from deliveries
    where ${sql.join([deliveries, ...given(after, isBefore(sql`begun_at, subject_id`))], sql` and `)}
    order by begun_at desc, subject_id desc offset 0) few
  cross join ${theOne(sql`payments where uetr = few.subject_id and begun_at = few.begun_at`)} p`;
const newest = sql`few.begun_at desc, few.subject_id desc`;

/** Conditions that an index serves. */
const indexedConditions = (filter: PaymentFilter, side: Side): readonly Condition[] => [
  ...given(filter.from, (from) => sql`p.judged_at >= ${from}`),
  ...given(filter.to, (to) => sql`p.judged_at < ${to}`),
  ...given(filter.olderThanSeconds, (seconds) => sql`p.judged_at < now() - ${seconds} * interval '1 second'`),
  ...given(filter.uetr, (uetr) => sql`p.uetr = ${uetr}::uuid`),
  ...given(filter.quoteId, (id) => sql`${sql.lit(side !== 'destination')} and p.quote_id = ${id}::uuid`),
  ...given(filter.endToEndId, (id) => sql`p.source_references -> 'original' ->> 'endToEndId' = ${id}`),
  ...given(filter.messageIdentification, (id) => hasMessage(id, side)),
];

/** Conditions on the rows of a slice. */
const otherConditions = (filter: PaymentFilter): readonly Condition[] => [
  ...given(filter.state, (wanted) => sql`${state} = ${wanted}`),
  ...given(filter.statuses, (some) => sql`${status} = any(${some}::text[])`),
  ...given(filter.reasonCode, (code) => sql`d.reason_code = ${code}`),
  ...given(filter.corridor, (corridor) => sql`p.corridor = ${corridor}`),
  ...given(filter.priority, (priority) => sql`p.priority = ${priority}`),
  ...given(
    filter.clearingSystem,
    (id) => sql`${id} in (p.source_clearing_system, p.destination_clearing_system)`,
  ),
  ...given(
    filter.institutionId,
    (id) => sql`(${id} in (p.debtor_agent_id, p.creditor_agent_id) or ${ofSource} and p.fxp_id = ${id})`,
  ),
  ...given(filter.amount, amountIn),
];

function amountIn({ currency, least, most }: NonNullable<PaymentFilter['amount']>): Condition {
  const within = (leg: 'source' | 'destination') => {
    const column = sql.ref(`p.${leg}_amount`);
    return sql`(${sql.ref(`p.${leg}_currency`)} = ${currency}
      and (${least ?? null}::numeric is null or ${column} >= ${least ?? null}::numeric)
      and (${most ?? null}::numeric is null or ${column} <= ${most ?? null}::numeric))`;
  };
  return sql`(${ofSource} and ${within('source')} or ${within('destination')})`;
}

/**
 * SQL: whether the payment has a message with this id. Each side finds only the messages that it exchanged
 * itself. Served by index messages_message_identification.
 */
function hasMessage(messageIdentification: string, side: Side): Condition {
  const ofSide = side === 'both' ? sql`true` : sql`leg = ${sql.lit(side)}`;
  return sql`p.uetr in (
    select subject_id from messages where message_identification = ${messageIdentification} and ${ofSide})`;
}
