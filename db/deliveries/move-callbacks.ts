// For the demo only. When its source operators move to another port, they cannot resend messages with new addresses.
// Otherwise the callbacks of open payments would go to the old port, where another program may listen by now.
import { sql } from 'kysely';
import { connect, type Db } from '../pool/connection.ts';

/** Names by which a source operator may address this machine (db/seed/operators.json). */
const hosts = ['127.0.0.1', 'localhost'];

/**
 * Moves the callback addresses from one port of this machine to another, as if the source had named them. Moves only
 * paths below `/callbacks/`: an address with another path belongs to a person, who may still listen at the old port.
 * @returns how many undelivered callbacks were moved
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
