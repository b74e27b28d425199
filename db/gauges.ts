// What the record holds at this moment, in numbers, for metrics (OBS-2): payments without final status, deliveries that
// are open or dead, alerts that nobody has closed. Each by an index that holds only those.
import { sql } from 'kysely';
import { isInDoubt } from './audit.ts';
import { openAlerts } from './cases.ts';
import type { Db } from './connection.ts';
import { readOwed, type Owed } from './party-health.ts';

interface OpenPayments {
  readonly destination: string;
  readonly priority: string;
  readonly state: string;
  readonly count: number;
  readonly oldestSeconds: number;
}

interface OpenAlerts {
  readonly kind: string;
  readonly severity: string;
  readonly open: number;
}

export interface Gauges {
  readonly payments: readonly OpenPayments[];
  readonly deliveries: readonly Owed[];
  readonly alerts: readonly OpenAlerts[];
}

export async function readGauges(db: Db): Promise<Gauges> {
  const [payments, deliveries, alerts] = await Promise.all([readPayments(db), readOwed(db), openAlerts(db)]);
  return { payments, deliveries, alerts };
}

async function readPayments(db: Db): Promise<readonly OpenPayments[]> {
  // index deliveries_undecided; primary key of payments; audit_events_subject_id
  const { rows } = await sql<OpenPayments>`
    select destination, priority, state, count(*)::int as count,
      extract(epoch from now() - min(received_at))::float8 as "oldestSeconds"
    from (
      select p.destination_clearing_system as destination, p.priority, p.received_at,
        case when ${isInDoubt(sql`p.uetr`)} then 'in-doubt' else 'waiting' end as state
      from deliveries i join payments p on p.uetr = i.subject_id
      where i.kind = 'instruction' and i.closed_at is null
    ) undecided group by destination, priority, state`.execute(db);
  return rows;
}
