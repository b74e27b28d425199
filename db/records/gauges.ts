// Reads current numbers for metrics. Finds payments and deliveries through partial indexes that hold only
// open ones.
import { sql } from 'kysely';
import { isInDoubt } from './audit.ts';
import { openAlerts } from './cases.ts';
import type { Db } from '../pool/connection.ts';
import { theOne } from '../pool/statements.ts';
import { readOwed, type Owed } from '../deliveries/party-health.ts';
import { keysThatEnd, type EndingKeys } from '../keys/party-keys.ts';

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
  readonly keys: readonly EndingKeys[];
}

export async function readGauges(db: Db): Promise<Gauges> {
  const [payments, deliveries, alerts, keys] = await Promise.all([
    readPayments(db),
    readOwed(db),
    openAlerts(db),
    keysThatEnd(db),
  ]);
  return { payments, deliveries, alerts, keys };
}

async function readPayments(db: Db): Promise<readonly OpenPayments[]> {
  // served by index deliveries_undecided, the primary key of payments and index audit_events_subject_id
  const { rows } = await sql<OpenPayments>`
    select destination, priority, state, count(*)::int as count,
      extract(epoch from now() - min(judged_at))::float8 as "oldestSeconds"
    from (
      select p.destination_clearing_system as destination, p.priority, p.judged_at,
        case when ${isInDoubt(sql`p.uetr`)} then 'in-doubt' else 'waiting' end as state
      from deliveries i join ${theOne(sql`payments where uetr = i.subject_id and begun_at = i.begun_at`)} p on true
      where i.kind = 'instruction' and i.closed_at is null
    ) undecided group by destination, priority, state`.execute(db);
  return rows;
}
