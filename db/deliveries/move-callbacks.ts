// Of a demo only: its source operators listen somewhere else from now on, and can send no message again with the new
// address. Without it a callback of an open payment would go to the old one, and to whoever listens there by now.
import { sql } from 'kysely';
import { connect, type Db } from '../pool/connection.ts';

/** By which a source operator may name this machine (db/seed/operators.json). */
const hosts = ['127.0.0.1', 'localhost'];

/**
 * Whatever was to be told at the callback addresses of one port of this machine is told at those of another, as if its
 * source had named them. Another path is a person's own, who may listen at that port by now.
 * @returns how many callbacks that were not taken go elsewhere now
 */
export async function moveCallbacks(
  databaseUrl: string,
  ports: { readonly from: number; readonly to: number },
): Promise<number> {
  const db = connect(databaseUrl, { applicationName: 'isthmus-move-callbacks', maxConnections: 1 });
  try {
    return await db.transaction().execute(async (trx) => {
      await sql`set local statement_timeout = 0`.execute(trx);
      let open = 0;
      for (const host of hosts) {
        open += await moveOrigin(trx, `http://${host}:${ports.from}`, `http://${host}:${ports.to}`);
      }
      return open;
    });
  } finally {
    await db.destroy();
  }
}

async function moveOrigin(db: Db, from: string, to: string): Promise<number> {
  const isThere = (url: ReturnType<typeof sql>) => sql`starts_with(${url}, ${`${from}/callbacks/`})`;
  const moved = (url: ReturnType<typeof sql>) => sql`${to} || substr(${url}, length(${from}) + 1)`;
  await sql`
    insert into callback_addresses (message_id, url)
    select message_id, ${moved(sql`url`)} from (
      select m.message_id, coalesce((
        select url from callback_addresses where message_id = m.message_id order by named_at desc limit 1),
        m.answer_url) as url
      from messages m where m.answer_url is not null) named
    where ${isThere(sql`url`)}`.execute(db);
  const { rows } = await sql<{ isOpen: boolean }>`
    update deliveries set url = ${moved(sql`url`)} where kind = 'callback' and ${isThere(sql`url`)}
    returning delivered_at is null as "isOpen"`.execute(db);
  return rows.filter(({ isOpen }) => isOpen).length;
}
