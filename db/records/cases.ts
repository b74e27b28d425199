// Alerts and the actions of operators on them. Both are insert-only. The latest action on an alert or on its
// case gives the state of the alert. A trigger stores the state in one row per alert, because a payment can
// have thousands of alerts.
import { sql } from 'kysely';
import {
  concernedBy,
  hindranceOf,
  kindsHindrance,
  seenHindrance,
  type Alert,
  type AlertFilter,
  type AlertsOfKind,
  type AlertState,
  type CaseEntry,
  type CaseHindrance,
  type Closing,
  type NewEntry,
  type Standing,
} from '../../core/operations/cases.ts';
import { isAlert } from './audit.ts';
import { given, type Condition } from '../pool/statements.ts';
import type { Db } from '../pool/connection.ts';

/** SQL that joins the state of an alert `e`, by the primary key of alert_states. */
const lastDone = sql`left join alert_states done on done.audit_event_id = e.audit_event_id`;
const state = sql`case coalesce(done.action, 'reopen') when 'take' then 'taken' when 'close' then 'closed' else 'open' end`;
/** SQL columns for the state that follows from the latest action, `done`. */
const standing = sql`
  ${state} as state,
  case when done.action = 'take' then done.client_id end as "takenBy",
  case when done.action = 'take' then done.at end as "takenAt",
  case when done.action = 'close' then done.client_id end as "closedBy",
  case when done.action = 'close' then done.at end as "closedAt"`;
const columns = sql`
  e.audit_event_id::text as "alertId", e.occurred_at as at, e.severity, e.kind, e.subject_id as "subjectId", e.party,
  e.detail, ${standing}`;

/** Lists alerts, newest first. `page.after` is the id of the last alert of the previous page. */
export async function listAlerts(
  db: Db,
  filter: AlertFilter,
  page: { readonly limit: number; readonly after?: string },
): Promise<{ readonly alerts: readonly Alert[]; readonly next: string | undefined }> {
  const conditions = [isAlert, ...conditionsOf(filter)];
  if (page.after !== undefined) conditions.push(sql`e.audit_event_id < ${page.after}::bigint`);
  const { rows } = await sql<Alert>`
    select ${columns} from audit_events e ${lastDone}
    where ${sql.join(conditions, sql` and `)}
    order by e.audit_event_id desc limit ${sql.lit(page.limit + 1)}`.execute(db);
  const alerts = rows.slice(0, page.limit);
  return { alerts, next: rows.length > page.limit ? alerts.at(-1)?.alertId : undefined };
}

function conditionsOf(filter: AlertFilter): readonly Condition[] {
  return [
    sql`${state} = any(${filter.states}::text[])`,
    ...given(filter.severity, (severity) => sql`e.severity = ${severity}`),
    ...given(filter.kind, (kind) => sql`e.kind = ${kind}`),
    ...given(filter.parties, (parties) => sql`e.party = any(${parties}::text[])`),
    ...given(filter.subjectId, (id) => sql`e.subject_id = ${id}::uuid`),
    ...given(filter.takenBy, (by) => sql`done.action = 'take' and done.client_id = ${by}`),
    ...given(filter.from, (from) => sql`e.occurred_at >= ${from}`),
    ...given(filter.to, (to) => sql`e.occurred_at < ${to}`),
  ];
}

export async function findAlert(db: Db, alertId: string): Promise<Alert | undefined> {
  const { rows } = await sql<Alert>`
    select ${columns} from audit_events e ${lastDone}
    where ${isAlert} and e.audit_event_id = ${alertId}::bigint`.execute(db); // served by the primary key
  return rows[0];
}

/** Lists the entries that were made for one alert or for its case, oldest first. */
export async function entriesOfAlert(
  db: Db,
  { alertId, subjectId }: Pick<Alert, 'alertId' | 'subjectId'>,
): Promise<readonly CaseEntry[]> {
  return entries(
    db,
    sql`c.audit_event_id = ${alertId}::bigint
      or c.subject_id = ${subjectId}::uuid and ${alertId}::bigint = any(c.audit_event_ids)`,
  );
}

/** Lists the entries about a payment or resolution, and about each of its alerts; oldest first. */
export async function entriesOfCase(db: Db, subjectId: string): Promise<readonly CaseEntry[]> {
  const alerts = sql`select audit_event_id from audit_events where subject_id = ${subjectId}::uuid`; // served by index audit_events_subject_id
  return entries(db, sql`c.subject_id = ${subjectId}::uuid or c.audit_event_id in (${alerts})`);
}

const namedAlerts = 100; // alerts that an entry names; the entry may be about thousands

async function entries(db: Db, condition: Condition): Promise<readonly CaseEntry[]> {
  const { rows } = await sql<CaseEntry>`
    select c.audit_event_id::text as "alertId", c.action, c.client_id as by, c.note, c.at,
      array(
        select jsonb_build_object('alertId', e.audit_event_id::text, 'kind', e.kind) from audit_events e
        where e.audit_event_id = any(about.ids[:${sql.lit(namedAlerts)}])
        order by e.audit_event_id) as alerts,
      cardinality(about.ids) as "alertCount"
    from case_entries c, lateral (select coalesce(c.audit_event_ids, array[c.audit_event_id]) as ids) about
    where ${condition} order by c.case_entry_id`.execute(db); // served by the primary key of audit_events
  return rows;
}

/**
 * Records the action of an operator on one alert. Serialized with actions on its case: if two operators take
 * the alert at once, the second learns that the first has it.
 */
export async function actOnAlert(
  db: Db,
  { alertId, subjectId }: Pick<Alert, 'alertId' | 'subjectId'>,
  entry: NewEntry,
): Promise<CaseHindrance | undefined> {
  return db.transaction().execute(async (trx) => {
    await lock(trx, subjectId ?? alertId);
    const alert = await findAlert(trx, alertId);
    const hindrance = alert && hindranceOf(alert, entry);
    if (hindrance !== undefined) return hindrance;
    await sql`
      insert into case_entries (audit_event_id, action, client_id, note)
      values (${alertId}::bigint, ${entry.action}, ${entry.by}, ${entry.note})`.execute(trx);
    return undefined;
  });
}

/**
 * Records the action of an operator on a payment or resolution, and on those of its existing alerts that the
 * action concerns (core/operations/cases.ts).
 * @param closing which of these alerts are closed
 */
export async function actOnCase(
  db: Db,
  subjectId: string,
  { closing: said, ...entry }: NewEntry & { readonly closing?: Closing },
): Promise<CaseHindrance | undefined> {
  const closing = entry.action === 'close' ? { kinds: undefined, seen: undefined, ...said } : undefined;
  return db.transaction().execute(async (trx) => {
    await lock(trx, subjectId);
    const alerts = await standingsOf(trx, subjectId, closing?.seen);
    const concerned = concernedBy(entry.action, alerts);
    const unclear = closing && unclearClosing(alerts, closing);
    if (unclear !== undefined) return unclear;
    // the state of a case is that of its alerts; a case without alerts has its own state
    const states = alerts.length > 0 ? alerts : await ownStanding(trx, subjectId);
    const hindrance = (concerned.length > 0 ? concerned : states)
      .map((one) => hindranceOf(one, entry))
      .find((one) => one !== undefined);
    if (hindrance !== undefined) return hindrance;
    const about = closing === undefined ? concerned : ofKinds(concerned, closing);
    await enter(trx, { subjectId, about, upTo: closing?.seen, entry });
    return undefined;
  });
}

function unclearClosing(alerts: readonly CaseStanding[], closing: Closing): CaseHindrance | undefined {
  const open = alerts.filter((one) => one.state !== 'closed');
  const over = alerts.filter((one) => one.state === 'closed');
  return (
    kindsHindrance(byKind(open), over, closing.kinds) ??
    seenHindrance(
      byKind(ofKinds(open, closing)),
      alerts.some(({ hasSeen }) => hasSeen),
      closing,
    )
  );
}

function ofKinds(alerts: readonly CaseStanding[], { kinds }: Closing): readonly CaseStanding[] {
  return Array.isArray(kinds) ? alerts.filter(({ kind }) => kinds.includes(kind)) : alerts;
}

type KindStanding = Pick<CaseStanding, 'kind' | 'count' | 'last' | 'isSeen'>;

function byKind(standings: readonly CaseStanding[]): readonly KindStanding[] {
  const kinds = new Map<string, KindStanding>();
  for (const { kind, ...one } of standings) {
    const { count, last, isSeen } = kinds.get(kind) ?? { count: 0, last: '0', isSeen: false };
    kinds.set(kind, {
      kind,
      count: count + one.count,
      last: BigInt(one.last) > BigInt(last) ? one.last : last,
      isSeen: isSeen || one.isSeen,
    });
  }
  return [...kinds.values()];
}

// alerts per statement, which then takes about 200 ms; a statement for all alerts of a payment could time out
const alertsPerEntry = 10_000;

interface CaseAct {
  readonly subjectId: string;
  /**
   * Kinds and states of the alerts that the action concerns. Alerts of other kinds that arrive meanwhile stay
   * open.
   */
  readonly about: readonly { readonly kind: string; readonly state: AlertState }[];
  /** Id of the last alert that the action concerns. Alerts with a higher id stay open. */
  readonly upTo: string | undefined;
  readonly entry: NewEntry;
}

/** Writes entries for 10,000 alerts each, oldest first. Writes one entry for a case without alerts. */
async function enter(trx: Db, { subjectId, about: concerned, upTo, entry }: CaseAct): Promise<void> {
  const states = [...new Set(concerned.map((one) => one.state))];
  const kinds = [...new Set(concerned.map((one) => one.kind))];
  let after = '0';
  let about = alertsPerEntry;
  while (about === alertsPerEntry) {
    // includes an alert that arrives meanwhile, if it matches; served by index audit_events_subject_id
    const { rows } = await sql<{ about: number; last: string | null }>`
      with concerned as (
        select e.audit_event_id from audit_events e ${lastDone}
        where ${isAlert} and e.subject_id = ${subjectId}::uuid and e.audit_event_id > ${after}::bigint
          and (${upTo ?? null}::bigint is null or e.audit_event_id <= ${upTo ?? null}::bigint)
          and ${state} = any(${states}::text[]) and e.kind = any(${kinds}::text[])
        order by e.audit_event_id limit ${sql.lit(alertsPerEntry)}
      ),
      entered as (
        insert into case_entries (subject_id, audit_event_ids, action, client_id, note)
        select ${subjectId}::uuid, coalesce(array_agg(audit_event_id order by audit_event_id), '{}'), ${entry.action},
          ${entry.by}, ${entry.note}
        from concerned
        having count(*) > 0 or ${after} = '0' -- the first entry is written even without an alert
      )
      select count(*)::int as about, max(audit_event_id)::text as last from concerned`.execute(trx);
    about = rows[0]?.about ?? 0;
    after = rows[0]?.last ?? after;
  }
}

type CaseStanding = Standing &
  AlertsOfKind & {
    /** Whether none of these alerts is newer than the alert `seen`. */
    readonly isSeen: boolean;
    /** Whether the alert `seen` is one of these alerts. */
    readonly hasSeen: boolean;
  };

/** Groups the alerts of a case by kind and state, because there may be thousands. Oldest first. */
async function standingsOf(
  trx: Db,
  subjectId: string,
  seen: string | undefined,
): Promise<readonly CaseStanding[]> {
  // served by index audit_events_subject_id
  const { rows } = await sql<CaseStanding>`
    select kind, state, "takenBy", min("takenAt") as "takenAt", "closedBy", max("closedAt") as "closedAt",
      count(*)::int as count, max(audit_event_id)::text as last, "isSeen",
      bool_or(audit_event_id = ${seen ?? '0'}::bigint) as "hasSeen"
    from (
      select e.audit_event_id, e.kind, e.audit_event_id <= ${seen ?? '0'}::bigint as "isSeen", ${standing} from audit_events e ${lastDone}
      where ${isAlert} and e.subject_id = ${subjectId}::uuid
    ) alerts
    group by kind, state, "takenBy", "closedBy", "isSeen"
    order by max("closedAt") desc nulls first, min(audit_event_id)`.execute(trx);
  return rows;
}

/** The state of a case without alerts: open until an operator takes or closes it. */
async function ownStanding(trx: Db, subjectId: string): Promise<readonly Standing[]> {
  // served by index case_entries_subject_id
  const { rows } = await sql<Standing>`
    select ${standing} from (values (true)) itself
    left join lateral (
      select action, client_id, at from case_entries
      where subject_id = ${subjectId}::uuid and action <> 'note'
      order by case_entry_id desc limit 1) done on true`.execute(trx);
  return rows;
}

async function lock(trx: Db, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`case ${name}`}, 0))`.execute(trx);
}

/** An alert as the log shows it, with codes and ids only. */
export type LoggedAlert = Pick<
  Alert,
  'alertId' | 'severity' | 'kind' | 'subjectId' | 'party' | 'detail' | 'at'
>;

const logsAtOnce = 500;

/**
 * Finds the alerts of the last day that were not logged, oldest first. Security events come last, because
 * they may be many.
 */
export async function findUnloggedAlerts(db: Db): Promise<readonly LoggedAlert[]> {
  // served by index audit_events_alerts and the primary key of logged_alerts
  const { rows } = await sql<LoggedAlert>`
    select e.audit_event_id::text as "alertId", e.severity, e.kind, e.subject_id as "subjectId", e.party, e.detail,
      e.occurred_at as at
    from audit_events e
    where ${isAlert} and e.occurred_at > now() - interval '1 day'
      and not exists (select from logged_alerts l where l.audit_event_id = e.audit_event_id)
    order by e.severity <> 'alert', e.audit_event_id limit ${sql.lit(logsAtOnce)}`.execute(db);
  return rows;
}

export async function markLogged(db: Db, alertIds: readonly string[]): Promise<void> {
  await sql`
    insert into logged_alerts (audit_event_id) select unnest(${alertIds}::bigint[])
    on conflict do nothing`.execute(db);
}

export async function openAlerts(
  db: Db,
): Promise<readonly { readonly kind: string; readonly severity: string; readonly open: number }[]> {
  const { rows } = await sql<{ kind: string; severity: string; open: number }>`
    select e.kind, e.severity, count(*)::int as open from audit_events e ${lastDone}
    where ${isAlert} and ${state} <> 'closed' group by e.kind, e.severity`.execute(db);
  return rows;
}
