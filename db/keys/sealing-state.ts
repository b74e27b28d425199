// By which of SEALING_KEYS something is wrapped still, in all tables that a process may read: an operator goes
// by what the logs say of it before one leaves the setting.
import { sql } from 'kysely';
import type { Db } from '../pool/connection.ts';
import { deliveryKeyIsOver } from './delivery-keys.ts';
import { issuerKeyIsOver } from './issuer.ts';
import { vaultOf } from './vault.ts';

/** How it stands when a process takes work. */
export interface SealingState {
  /** Null: what it stores is not sealed. */
  readonly dataKeyId: string | null;
  /** Keys of SEALING_KEYS that are needed still, as far as this process may know: an api reads no private part of a key that
   * signs deliveries, a worker none of those that sign tokens. */
  readonly wrappedBy: readonly string[];
  /** Those of them that it does not have. */
  readonly lacking: readonly string[];
}

/**
 * After what this process wraps at its start has been wrapped.
 * @internal exported for tests
 */
export async function sealingState(db: Db): Promise<SealingState> {
  const vault = vaultOf(db);
  if (vault === undefined) return { dataKeyId: null, wrappedBy: [], lacking: [] };
  const isHere = (id: string) => vault.wrapper.knows(id);
  const uses = await usesOfKeys(db);
  // what is over and cannot be read is wrapped anew by nobody: no key is needed for it
  const needed = uses.filter(({ by, isOver }) => !isOver || isHere(by)).map(({ by }) => by);
  const wrappedBy = [...new Set(needed)];
  return {
    dataKeyId: vault.current?.keyId ?? null,
    wrappedBy,
    lacking: wrappedBy.filter((id) => !isHere(id)),
  };
}

interface Use {
  readonly by: string;
  readonly isOver: boolean;
}

async function usesOfKeys(db: Db): Promise<readonly Use[]> {
  const { rows: rights } = await sql<{ secrets: boolean; issuerKeys: boolean }>`
    select has_table_privilege('delivery_key_secrets', 'select') as secrets,
      has_table_privilege('issuer_keys', 'select') as "issuerKeys"`.execute(db);
  const uses = [
    sql`select wrapped_by as by, false as over from data_keys`,
    sql`select vouched_by, ${deliveryKeyIsOver} from delivery_keys`,
  ];
  if (rights[0]?.secrets === true)
    uses.push(
      sql`select wrapped_by, ${deliveryKeyIsOver} from delivery_key_secrets join delivery_keys using (key_id)`,
    );
  if (rights[0]?.issuerKeys === true) uses.push(sql`select wrapped_by, ${issuerKeyIsOver} from issuer_keys`);
  const { rows } = await sql<Use>`
    select by, bool_and(over) as "isOver" from (${sql.join(uses, sql` union all `)}) used
    where by is not null group by by order by by`.execute(db);
  return rows;
}

/** The lines of a log that say so. */
export async function tellOfSealing(
  db: Db,
  logger: { info(about: object, says: string): void; error(about: object, says: string): void },
): Promise<void> {
  const state = await sealingState(db);
  const { dataKeyId, lacking } = state;
  logger.info(
    state,
    dataKeyId === null ? 'what is stored of people is not sealed' : 'what is stored of people is sealed',
  );
  if (lacking.length > 0)
    logger.error({ lacking }, 'a sealing key that keys of ours are wrapped by is not in SEALING_KEYS');
}
