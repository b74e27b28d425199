// The audit trail: contradictions, security events, alerts. Codes and ids only, never personal data (SEC-3).
import { sql, type RawBuilder } from 'kysely';
import type { Db } from './connection.ts';

export interface AuditEvent {
  /** info: for the record; alert: a person must look; security: somebody tried what is not theirs. */
  readonly severity: 'info' | 'alert' | 'security';
  readonly kind: string;
  readonly uetr?: string | undefined;
  readonly party?: string | undefined;
  readonly detail?: Readonly<Record<string, string | number | boolean | null>>;
}

/** `insert into audit_events`, to be used inside a larger statement: an event and what it tells of appear together. */
export function insertAudit(event: AuditEvent | null | undefined, condition: RawBuilder<unknown>) {
  return sql`
    insert into audit_events (severity, kind, uetr, party, detail)
    select ${event?.severity ?? ''}, ${event?.kind ?? ''}, ${event?.uetr ?? null}::uuid, ${event?.party ?? null},
      ${JSON.stringify(event?.detail ?? {})}::jsonb
    where ${event != null}::boolean and ${condition}`;
}

export async function recordAudit(db: Db, event: AuditEvent): Promise<void> {
  await db
    .insertInto('audit_events')
    .values({
      severity: event.severity,
      kind: event.kind,
      uetr: event.uetr ?? null,
      party: event.party ?? null,
      detail: JSON.stringify(event.detail ?? {}),
    })
    .execute();
}

/**
 * As `recordAudit`, once per payment and kind: what is found again each time that somebody looks is one event.
 * @param oncePer detail: what is found with other details is another event
 * @returns whether it is new
 */
export async function recordAuditOnce(
  db: Db,
  event: AuditEvent & { readonly uetr: string },
  oncePer: 'kind' | 'detail' = 'kind',
): Promise<boolean> {
  const detail = JSON.stringify(event.detail ?? {});
  const isNew = sql`not exists (
    select from audit_events where uetr = ${event.uetr} and kind = ${event.kind}
      and (${oncePer === 'kind'}::boolean or detail = ${detail}::jsonb))`; // index audit_events_uetr
  const { rows } = await sql`${insertAudit(event, isNew)} returning audit_event_id`.execute(db);
  return rows.length === 1;
}
