// Events of the audit trail as somebody else's statement would write them: of any kind, also of one that nothing of ours
// records.
import { alertStates } from '../../core/operations/cases.ts';
import { listAlerts } from '../../db/records/cases.ts';
import type { Db } from '../../db/pool/connection.ts';

export interface WrittenEvent {
  readonly severity: 'info' | 'alert' | 'security';
  readonly kind: string;
  readonly subjectId?: string | undefined;
  readonly party?: string | undefined;
  readonly detail?: Readonly<Record<string, unknown>>;
}

export async function writeEvent(
  db: Db,
  { severity, kind, subjectId, party, detail }: WrittenEvent,
): Promise<void> {
  await db
    .insertInto('audit_events')
    .values({
      severity,
      kind,
      subject_id: subjectId ?? null,
      party: party ?? null,
      detail: JSON.stringify(detail ?? {}),
    })
    .execute();
}

/** Whoever closes a case names it as the last that they have looked at (OBS-6). */
export async function newestAlert(db: Db, subjectId: string): Promise<string> {
  const { alerts } = await listAlerts(db, { states: alertStates, subjectId }, { limit: 1 });
  const [newest] = alerts;
  if (newest === undefined) throw new Error(`${subjectId} has no alert`);
  return newest.alertId;
}
