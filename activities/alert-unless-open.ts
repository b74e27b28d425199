// An alert about something that is looked at again and again (OBS-6).
import { isDeepStrictEqual } from 'node:util';
import { recordAudit, type AuditEvent } from '../db/audit.ts';
import { listAlerts } from '../db/cases.ts';
import type { Db } from '../db/connection.ts';

/** What is found again each time is one alert, until an operator closes it. */
export async function alertUnlessOpen(
  db: Db,
  alert: Pick<AuditEvent, 'kind' | 'detail'> & { readonly party?: string },
): Promise<void> {
  const { kind, party, detail } = alert;
  const open = { states: ['open', 'taken'], kind, ...(party !== undefined && { parties: [party] }) } as const;
  const { alerts } = await listAlerts(db, open, { limit: 1_000 });
  if (alerts.some((one) => isDeepStrictEqual(one.detail, detail))) return;
  await recordAudit(db, { severity: 'alert', ...alert });
}
