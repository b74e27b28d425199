// Which fault met which state of a payment, how often: the states that payments were in at the moment at which a fault began. A
// fault that never met a state has shown nothing about it; such cells are named.
import type { FaultRecord } from './oracle/evidence.ts';
import type { ChaosSystem } from './system/system.ts';

/** The life of a payment in the record, finer than the states that the parties see (docs/reference/payment-states.md). */
const lives = {
  received: 'stored, not judged yet',
  unsent: 'accepted, no attempt to send it yet',
  sending: 'an attempt to send it is under way',
  waiting: 'sent, no final status yet',
  reported: 'the destination’s final is stored, not applied yet',
  telling: 'decided, and somebody still has to be told',
  done: 'decided, and everybody was told',
} as const;

type Life = keyof typeof lives;

const recent = `now() - interval '2 minutes'`;

const countSql = `
select
  (select count(*) from messages m where m.message_type = 'pacs008' and m.direction = 'in' and m.created_at > ${recent}
     and not exists (select from payments p where p.message_id = m.message_id)
     and not exists (select from refusals r where r.message_id = m.message_id)
     and not exists (select from payments p where p.uetr = m.subject_id))::int as received,
  coalesce(sum(case when life = 'unsent' then 1 end), 0)::int as unsent,
  coalesce(sum(case when life = 'sending' then 1 end), 0)::int as sending,
  coalesce(sum(case when life = 'waiting' then 1 end), 0)::int as waiting,
  coalesce(sum(case when life = 'reported' then 1 end), 0)::int as reported,
  coalesce(sum(case when life = 'telling' then 1 end), 0)::int as telling,
  coalesce(sum(case when life = 'done' then 1 end), 0)::int as done
from (
  select case
    when d.uetr is not null and exists (select from deliveries o where o.subject_id = p.uetr and o.kind <> 'instruction'
      and o.delivered_at is null and o.closed_at is null) then 'telling'
    when d.uetr is not null then 'done'
    when i.final_report_id is not null then 'reported'
    when coalesce(i.attempts, 0) = 0 then 'unsent'
    when exists (select from delivery_attempts a where a.delivery_id = i.delivery_id and a.finished_at is null) then 'sending'
    else 'waiting' end as life
  from payments p
  left join decisions d on d.uetr = p.uetr
  left join deliveries i on i.subject_id = p.uetr and i.kind = 'instruction'
  where p.accepted and p.received_at > ${recent}
) lives`;

/** How many payments of the last two minutes are in which part of their life now; nothing while the database is away. */
export async function livesNow(system: ChaosSystem): Promise<Readonly<Record<string, number>>> {
  const [row] = await system.query<Record<Life, number>>(countSql).catch(() => []);
  return row ?? {};
}

export interface Coverage {
  /** By fault, then by life: how many payments were met. */
  readonly cells: ReadonlyMap<string, ReadonlyMap<Life, number>>;
  readonly empty: readonly string[];
}

const names = Object.keys(lives) as readonly Life[];

/** @param all names of every fault that there is */
export function coverageOf(records: readonly FaultRecord[], all: readonly string[]): Coverage {
  const cells = new Map<string, Map<Life, number>>();
  for (const fault of all) cells.set(fault, new Map());
  for (const { name, met } of records) {
    const row = cells.get(name) ?? new Map<Life, number>();
    cells.set(name, row);
    for (const life of names) row.set(life, (row.get(life) ?? 0) + (met[life] ?? 0));
  }
  const empty = [...cells].flatMap(([fault, row]) =>
    names
      .filter((life) => (row.get(life) ?? 0) === 0)
      .map((life) => `${fault} has met no payment that was ${life}`),
  );
  return { cells, empty };
}

/** A table in Markdown, faults as rows. */
export function coverageTable({ cells }: Coverage): string {
  const rows = [...cells].map(
    ([fault, row]) => `| ${fault} | ${names.map((life) => row.get(life) ?? 0).join(' | ')} |`,
  );
  return [`| fault | ${names.join(' | ')} |`, `|---|${names.map(() => '---:').join('|')}|`, ...rows].join(
    '\n',
  );
}
