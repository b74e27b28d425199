// The audit trail, with contradictions, security events and alerts. It contains codes and ids only, never
// personal data.
import { sql, type RawBuilder } from 'kysely';
import { eventKinds, type AlertKind, type EventKind } from '../../core/operations/event-kinds.ts';
import type { Db } from '../pool/connection.ts';
import { isFound, isThere } from '../pool/statements.ts';

export interface AuditEvent {
  readonly kind: EventKind;
  /** UETR of a payment, or id of a resolution or of a page of a book; undefined: it has no subject. */
  readonly subjectId?: string | undefined;
  readonly party?: string | undefined;
  readonly detail?: Readonly<Record<string, string | number | boolean | null>>;
}

/** SQL: whether an event `e` is an alert or a security event. Served by index audit_events_alerts. */
export const isAlert = sql`e.severity in ('alert', 'security')`;

/** SQL: whether a payment without a final status is in doubt. Served by index audit_events_subject_id. */
export const isInDoubt = (uetr: RawBuilder<unknown>) =>
  isFound(sql`audit_events e where e.subject_id = ${uetr} and e.kind = 'payment.in-doubt'`);

/** An `insert into audit_events` for use in a larger statement. */
export function insertAudit(event: AuditEvent | null | undefined, condition: RawBuilder<unknown>) {
  return sql`
    insert into audit_events (severity, kind, subject_id, party, detail)
    select ${event ? eventKinds[event.kind] : ''}, ${event?.kind ?? ''}, ${event?.subjectId ?? null}::uuid, ${event?.party ?? null},
      ${JSON.stringify(event?.detail ?? {})}::jsonb
    where ${event != null}::boolean and ${condition}`;
}

export async function recordAudit(db: Db, event: AuditEvent): Promise<void> {
  await insertAudit(event, sql`true`).execute(db);
}

/**
 * Like `recordAudit`, but writes one event per subject and kind. For findings that repeat with every check. Two processes
 * that find the same in the same moment write it twice.
 * @param oncePer `detail`: the same kind with other details is a new event
 * @returns whether the event is new
 */
export function recordAuditOnce(
  db: Db,
  event: AuditEvent & { readonly subjectId: string },
  oncePer: 'kind' | 'detail' = 'kind',
): Promise<boolean> {
  const detail = JSON.stringify(event.detail ?? {});
  const isNew = sql`not exists (
    select from audit_events where subject_id = ${event.subjectId} and kind = ${event.kind}
      and (${oncePer === 'kind'}::boolean or detail = ${detail}::jsonb))`; // served by index audit_events_subject_id
  return isThere(db, sql`${insertAudit(event, isNew)} returning audit_event_id`);
}

/** SQL for `isSame` of `alertUnlessOpen`: whether the detail of an alert `e` has these values. */
export const hasDetail = (detail: Readonly<Record<string, string>>) =>
  sql`e.detail @> ${JSON.stringify(detail)}::jsonb`;

/**
 * Like `recordAudit`, but writes nothing while the same alert is open. For findings that repeat with every
 * check. Serialized by kind, so that of two processes with the same finding only one writes the alert.
 * @param isSame SQL: whether an alert `e` of the same kind is the same alert; absent: it has the same detail
 *   and, if a party is given, the same party
 * @returns whether the alert is new
 */
export async function alertUnlessOpen(
  db: Db,
  alert: Omit<AuditEvent, 'kind'> & { readonly kind: AlertKind },
  isSame?: RawBuilder<unknown>,
): Promise<boolean> {
  const { kind, party = null, detail = {} } = alert;
  const same =
    isSame ??
    sql`(${party}::text is null or e.party = ${party}) and e.detail = ${JSON.stringify(detail)}::jsonb`;
  const isNew = sql`not exists (
    select from audit_events e left join alert_states s on s.audit_event_id = e.audit_event_id
    where ${isAlert} and e.kind = ${kind} and ${same} and s.action is distinct from 'close')`; // served by index audit_events_alerts
  const seen = await sql<{ isNew: boolean }>`select ${isNew} as "isNew"`.execute(db);
  if (seen.rows[0]?.isNew !== true) return false; // the usual case needs no lock
  const tell = async (trx: Db) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`alert ${kind}`}, 0))`.execute(trx);
    const { rows } = await sql`${insertAudit(alert, isNew)} returning audit_event_id`.execute(trx);
    return rows.length === 1;
  };
  return db.isTransaction ? tell(db) : db.transaction().execute(tell);
}

/** Limits that a party can reach. docs/operations/alerts.md explains each. */
export type PartyLimit =
  | 'callback-addresses'
  | 'contradictions'
  | 'lookups'
  | 'repeats'
  | 'reports'
  | 'stored-bytes'
  | 'tiers'
  | 'undecided-payments';

/**
 * Raises one alert per party and limit. The next one follows only after an operator has closed that alert, or
 * after a day.
 * @param subjectId the payment or resolution that reached the limit
 */
export async function alertAtLimit(
  db: Db,
  party: string,
  limit: PartyLimit,
  subjectId?: string,
): Promise<void> {
  const isOfLimit = sql`e.occurred_at > clock_timestamp() - interval '1 day' and e.party = ${party}
    and ${hasDetail({ limit })}`;
  await alertUnlessOpen(db, { kind: 'party.at-limit', subjectId, party, detail: { limit } }, isOfLimit);
}
