// Alerts are asked for by their time: by whoever is on duty, by monitoring, every few seconds.
// Forward only: a released migration is never edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

const alerts = `
create index audit_events_alerts on audit_events (occurred_at) where severity in ('alert', 'security');
`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(alerts).execute(db);
}
