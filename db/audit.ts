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

/** `insert into audit_events` of what a larger statement does, so that neither is there without the other. */
export function insertAudit(event: AuditEvent | undefined, condition: RawBuilder<unknown>) {
  return sql`
    insert into audit_events (severity, kind, uetr, party, detail)
    select ${event?.severity ?? 'info'}, ${event?.kind ?? ''}, ${event?.uetr ?? null}::uuid, ${event?.party ?? null},
      ${JSON.stringify(event?.detail ?? {})}::jsonb
    where ${event !== undefined}::boolean and ${condition}`;
}
