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
import { isInDoubt } from '../records/audit.ts';
import { given, type Condition } from '../pool/statements.ts';
import type { Db } from '../pool/connection.ts';
import { isDead, isOfToldKind, isOpen } from '../deliveries/deliveries.ts';

export interface PaymentPage {
  readonly payments: readonly ListedPayment[];
  /** Position of the last payment of this page; undefined: there is no further page. */
  readonly next: ListPlace | undefined;
}

/** The side of a payment that the reader is on; `both` is for operators. */
type Side = 'source' | 'destination' | 'both';

export async function listPayments(
  db: Db,
  scope: ListScope,
  filter: PaymentFilter,
  page: { readonly limit: number; readonly after?: ListPlace },
): Promise<PaymentPage> {
  const sides = sidesOf(scope);
  const rowsOf = ({ side, mine }: ScopedSide) => {
    const conditions = [
      ...mine,
      ...conditionsOf(filter, side),
      ...(page.after ? [isBehind(page.after)] : []),
    ];
    return sql`(select ${sql.lit(side)} as side, p.uetr, p.judged_at
      from payments p left join decisions d on d.uetr = p.uetr
      where ${conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)}
      order by p.judged_at desc, p.uetr desc limit ${sql.lit(page.limit + 1)})`;
  };
  const { rows } = await sql<ListedPayment & { at: string }>`
    with page as (
      select * from (${sql.join(sides.map(rowsOf), sql` union all `)}) found
      order by judged_at desc, uetr desc limit ${sql.lit(page.limit + 1)}
    )
    select p.uetr, p.judged_at::text as at, ${status} as status, ${state} as state,
      d.reason_code as "reasonCode", d.rule_id as "ruleId", d.decided_by as "decidedBy",
      exists (select from audit_events e where e.subject_id = p.uetr and e.kind = 'payment.contradiction') as "isContradicted",
      p.source_clearing_system as "sourceSystem", p.destination_clearing_system as "destinationSystem",
      p.corridor, p.priority,
      case when page.side <> 'destination' then p.source_amount::text end as "sourceAmount",
      case when page.side <> 'destination' then p.source_currency end as "sourceCurrency",
      p.destination_amount::text as "destinationAmount",
      (p.destination_amount - p.creditor_agent_fee)::text as "creditorAccountAmount", p.destination_currency as "destinationCurrency",
      p.debtor_agent_id as "debtorAgentId", p.creditor_agent_id as "creditorAgentId",
      case when page.side <> 'destination' then p.fxp_id end as "fxpId",
      case when page.side <> 'destination' then p.quote_id end as "quoteId",
      p.source_references -> 'original' ->> 'endToEndId' as "endToEndId",
      p.judged_at as "judgedAt", p.deadline_at as "deadlineAt", d.decided_at as "decidedAt",
      (select count(*)::int ${told} and ${isOpen}) as "openDeliveries",
      (select count(*)::int ${told} and ${isDead}) as "deadLetters"
    from page join payments p on p.uetr = page.uetr left join decisions d on d.uetr = p.uetr
    order by p.judged_at desc, p.uetr desc`.execute(db);
  const payments = rows.slice(0, page.limit);
  const last = rows.length > page.limit ? payments.at(-1) : undefined;
  return { payments, next: last && { at: last.at, id: last.uetr } };
}

const isBehind = ({ at, id }: ListPlace): Condition =>
  sql`(p.judged_at, p.uetr) < (${at}::timestamptz, ${id}::uuid)`;

interface ScopedSide {
  readonly side: Side;
  readonly mine: readonly Condition[];
}

/** Queries each side separately, so that each uses its own index. */
function sidesOf(scope: ListScope): readonly ScopedSide[] {
  if (scope.of === 'all') return [{ side: 'both', mine: [] }];
  const { id } = scope;
  const [sent, received] =
    scope.of === 'clearing-system'
      ? [sql`p.source_clearing_system = ${id}`, sql`p.destination_clearing_system = ${id}`]
      : [sql`p.debtor_agent_id = ${id}`, sql`p.creditor_agent_id = ${id}`];
  return [
    { side: 'source', mine: [sent] },
    { side: 'destination', mine: [received, sql`(${sent}) is not true`, mayHaveBeenSeen] },
  ];
}

/**
 * SQL: whether the destination may have seen the payment. Until then its side must not see the payment here.
 * Served by the unique index on (subject_id, kind).
 */
const mayHaveBeenSeen = sql`(
  exists (select from deliveries i where i.subject_id = p.uetr and i.kind = 'instruction' and i.possibly_sent > 0)
  or exists (select from messages m where m.subject_id = p.uetr and m.direction = 'in' and m.leg = 'destination'))`;

const told = sql`from deliveries where subject_id = p.uetr and ${isOfToldKind}`; // served by the unique index on (subject_id, kind)
const isOneInDoubt = isInDoubt(sql`p.uetr`);
const status = sql`coalesce(d.status, case when ${isOneInDoubt} then 'INDOUBT' else 'ACTC' end)`;
const state = sql`case
  when d.uetr is null then case when ${isOneInDoubt} then 'in-doubt' else 'waiting' end
  when exists (select ${told} and ${isDead}) then 'dead-letter'
  when exists (select ${told} and ${isOpen}) then 'telling'
  else 'done' end`;

/** Conditions for states that few payments have. Each finds the payments by a partial index. */
const foundBy: Readonly<Partial<Record<PaymentState, Condition>>> = {
  // served by indexes deliveries_undecided, deliveries_open, deliveries_dead
  waiting: sql`p.uetr in (select subject_id from deliveries where kind = 'instruction' and closed_at is null)`,
  'in-doubt': sql`p.uetr in (select subject_id from deliveries where kind = 'instruction' and closed_at is null)`,
  telling: sql`p.uetr in (select subject_id from deliveries where ${isOfToldKind} and ${isOpen})`,
  'dead-letter': sql`p.uetr in (select subject_id from deliveries where ${isOfToldKind} and ${isDead})`,
};

function conditionsOf(filter: PaymentFilter, side: Side): readonly Condition[] {
  const { state: wanted } = filter;
  const found = wanted && foundBy[wanted];
  return [
    ...(found === undefined ? [] : [found]),
    ...given(wanted, (one) => sql`${state} = ${one}`),
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
      (id) => sql`(
      ${id} in (p.debtor_agent_id, p.creditor_agent_id) or ${ofSource(side)} and p.fxp_id = ${id})`,
    ),
    ...given(filter.amount, (amount) => amountIn(amount, side)),
    ...given(filter.from, (from) => sql`p.judged_at >= ${from}`),
    ...given(filter.to, (to) => sql`p.judged_at < ${to}`),
    ...given(
      filter.olderThanSeconds,
      (seconds) => sql`p.judged_at < now() - ${seconds} * interval '1 second'`,
    ),
    ...given(filter.uetr, (uetr) => sql`p.uetr = ${uetr}::uuid`),
    ...given(filter.quoteId, (id) => sql`${ofSource(side)} and p.quote_id = ${id}::uuid`),
    ...given(filter.endToEndId, (id) => sql`p.source_references -> 'original' ->> 'endToEndId' = ${id}`),
    ...given(filter.messageIdentification, (id) => hasMessage(id, side)),
  ];
}

/** SQL: whether to show the quote and the FX provider. Only the source's side may see them. */
const ofSource = (side: Side) => sql.lit(side !== 'destination');

function amountIn({ currency, least, most }: NonNullable<PaymentFilter['amount']>, side: Side): Condition {
  const within = (leg: 'source' | 'destination') => {
    const column = sql.ref(`p.${leg}_amount`);
    return sql`(${sql.ref(`p.${leg}_currency`)} = ${currency}
      and (${least ?? null}::numeric is null or ${column} >= ${least ?? null}::numeric)
      and (${most ?? null}::numeric is null or ${column} <= ${most ?? null}::numeric))`;
  };
  return side === 'destination'
    ? within('destination')
    : sql`(${within('source')} or ${within('destination')})`;
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
