// Detects when a system has come to rest after the faults: it has no work left that it can do by itself. This
// module queries the database and judges nothing. The oracle judges a system that does not come to rest
// (I-15).
import { setTimeout as delay } from 'node:timers/promises';
import { toldKinds } from './oracle/reference.ts';
import type { ChaosSystem } from './system/system.ts';

const restlessSql = `
select
  (select count(*) from deliveries where kind in (${toldKinds.map((kind) => `'${kind}'`).join(', ')}) and delivered_at is null
     and closed_at is null)::int as deliveries,
  (select count(*) from payments p left join decisions d on d.uetr = p.uetr where p.accepted and d.uetr is null
     and (p.priority = 'HIGH' or not exists (select from deliveries i join delivery_attempts a on a.delivery_id = i.delivery_id
       where i.subject_id = p.uetr and i.kind = 'instruction' and a.outcome = 'ANSWERED' and a.http_status in (200, 202))))::int as undecided,
  (select count(*) from messages m where m.message_type = 'pacs008' and m.direction = 'in'
     and not exists (select from payments p where p.uetr = m.subject_id)
     and not exists (select from refusals r where r.message_id = m.message_id))::int as unjudged`;

/**
 * Counts all undecided payments. Some may still wait because the destination accepted the instruction and
 * stays silent.
 */
const waitingSql = `
select count(*)::int as waiting from payments p left join decisions d on d.uetr = p.uetr where p.accepted and d.uetr is null`;

const pauseMs = 1_000;
const calmInARow = 3; // a single calm result is not enough, because a payment may be between two steps

/**
 * Waits until the system has come to rest.
 * @param mostMs returns the longest time to wait, in milliseconds; called before each query
 * @returns whether the system came to rest
 */
export async function untilQuiet(
  system: Pick<ChaosSystem, 'query'>,
  mostMs: () => number,
  tell: (open: Readonly<Record<string, number>>) => void,
): Promise<boolean> {
  const began = performance.now();
  let calm = 0;
  while (calm < calmInARow && performance.now() - began < mostMs()) {
    const [open = { unknown: 1 }] = await system.query<Record<string, number>>(restlessSql).catch(() => []);
    calm = Object.values(open).every((count) => count === 0) ? calm + 1 : 0;
    tell(open);
    await delay(pauseMs);
  }
  return calm >= calmInARow;
}

/**
 * Whether any payment is undecided. The oracle can judge whether such a payment waits for the gateway only
 * some time after the last fault (I-15).
 */
export async function isAnyWaiting(system: ChaosSystem): Promise<boolean> {
  const [row] = await system.query<{ waiting: number }>(waitingSql);
  return row?.waiting !== 0;
}
