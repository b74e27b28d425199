// Finds which of SEALING_KEYS still wrap something in the tables that this process may read. The process logs
// the result, so that an operator knows when a key may be removed from SEALING_KEYS.
import { sql } from 'kysely';
import type { Db } from '../pool/connection.ts';
import { deliveryKeyIsOver } from './delivery-keys.ts';
import { issuerKeyIsOver } from './issuer.ts';
import { vaultOf } from './vault.ts';

export interface SealingState {
  /** Id of the data key that seals new data; null: new data is not sealed. */
  readonly dataKeyId: string | null;
  /**
   * Ids of the SEALING_KEYS that are still needed, as far as this process can see. The api may not read the
   * private keys that sign deliveries. A worker may not read those that sign tokens.
   */
  readonly wrappedBy: readonly string[];
  /** Ids in `wrappedBy` whose keys this process does not have. */
  readonly lacking: readonly string[];
}

/**
 * Call this function after the process has rewrapped the keys at its start.
 * @internal exported for tests
 */
export async function sealingState(db: Db): Promise<SealingState> {
  const vault = vaultOf(db);
  if (vault === undefined) return { dataKeyId: null, wrappedBy: [], lacking: [] };
  const isHere = (id: string) => vault.wrapper.knows(id);
  const uses = await usesOfKeys(db);
  // no process rewraps an expired secret that it cannot read, so the key of such a secret is not needed
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

/** Logs the state of sealing, and an error for each key that is needed and lacking. */
export async function tellOfSealing(
  db: Db,
  logger: { info(about: object, says: string): void; error(about: object, says: string): void },
): Promise<void> {
  const state = await sealingState(db);
  const { dataKeyId, lacking } = state;
  logger.info(
    state,
    dataKeyId === null ? 'stored personal data is not sealed' : 'stored personal data is sealed',
  );
  if (lacking.length > 0) logger.error({ lacking }, 'SEALING_KEYS lacks a key that still wraps our keys');
}
