// Loads the demo's reference data (db/seed/*.json) into a database. Safe to repeat: what is there stays, posted rates
// included; only the addresses of the counterparties are brought up to date.
import { sql, type Insertable } from 'kysely';
import { keyOf } from '../core/reference.ts';
import { connect, type Db } from './connection.ts';
import { expandSeed, type SeedAddresses, type SeedRate, type SeedRows } from './seed/expand.ts';
import { readSeedFiles } from './seed/files.ts';
import type { Database } from './tables.ts';

/** Where the sandbox listens by default. */
const sandboxUrl = 'http://127.0.0.1:8090';

const defaultSeedAddresses: SeedAddresses = {
  operatorEndpointUrl: (operatorId) => `${sandboxUrl}/${operatorId}`,
  fxpBaseUrl: (fxpBic) => `${sandboxUrl}/${fxpBic}`,
};

/** In an order in which foreign keys hold; rates come after, because they need the ids of the tiers. */
const tables = [
  'countries',
  'currencies',
  'operators',
  'operator_callback_origins',
  'clearing_systems',
  'country_clearing_systems',
  'address_types',
  'address_type_countries',
  'address_inputs',
  'address_type_inputs',
  'institutions',
  'institution_roles',
  'institution_identifiers',
  'institution_memberships',
  'fxp_endpoints',
  'book_endpoints',
  'clients',
  'settlement_accounts',
  'fxp_settlement_access',
  'fxp_corridors',
  'scheme_fee_formulas',
  'creditor_agent_fee_formulas',
  'tier_improvements',
  'psp_improvements',
] as const satisfies readonly Exclude<keyof SeedRows, 'rates'>[];

/** Everything in one transaction; two processes that seed at once wait for each other. */
export async function seed(
  databaseUrl: string,
  addresses: SeedAddresses = defaultSeedAddresses,
): Promise<void> {
  const db = connect(databaseUrl, { applicationName: 'isthmus-seed', maxConnections: 1 });
  try {
    const rows = expandSeed(readSeedFiles(), addresses);
    await db.transaction().execute(async (trx) => {
      await sql`select pg_advisory_xact_lock(hashtext('seed data'))`.execute(trx);
      for (const table of tables) await insertMissing(trx, table, rows[table]);
      await updateAddresses(trx, rows);
      await insertRates(trx, rows.rates);
    });
  } finally {
    await db.destroy();
  }
}

/**
 * Only the addresses of the counterparties, in a database that was seeded before.
 * @internal exported for tests
 * @throws where the seed data are not what they should be, or the database fails
 */
export async function moveCounterparties(databaseUrl: string, addresses: SeedAddresses): Promise<void> {
  const db = connect(databaseUrl, { applicationName: 'isthmus-seed', maxConnections: 1 });
  try {
    await updateAddresses(db, expandSeed(readSeedFiles(), addresses));
  } finally {
    await db.destroy();
  }
}

async function insertMissing(
  db: Db,
  table: (typeof tables)[number],
  rows: readonly Insertable<Database[typeof table]>[],
): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insertInto(table)
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

async function updateAddresses(db: Db, rows: SeedRows): Promise<void> {
  for (const { operator_id, endpoint_url } of rows.operators) {
    await db
      .updateTable('operators')
      .set({ endpoint_url })
      .where('operator_id', '=', operator_id)
      .where('endpoint_url', '<>', endpoint_url)
      .execute();
  }
  for (const { fxp_id, notification_url } of rows.fxp_endpoints) {
    await db
      .updateTable('fxp_endpoints')
      .set({ notification_url })
      .where('fxp_id', '=', fxp_id)
      .where('notification_url', '<>', notification_url)
      .execute();
  }
  for (const { party_id, url } of rows.book_endpoints) {
    await db
      .updateTable('book_endpoints')
      .set({ url })
      .where('party_id', '=', party_id)
      .where('url', '<>', url)
      .execute();
  }
}

/** Rates of FX providers that have none in a corridor yet; a rate that was posted is never replaced. */
async function insertRates(db: Db, rates: readonly SeedRate[]): Promise<void> {
  const tiers = await db
    .selectFrom('tier_improvements')
    .select(['tier_improvement_id', 'fxp_id', 'unit_currency', 'threshold'])
    .execute();
  const tierIds = new Map(
    tiers.map((tier) => [keyOf(tier.fxp_id, tier.unit_currency, tier.threshold), tier.tier_improvement_id]),
  );
  const rated = await db
    .selectFrom('rates')
    .select(['fxp_id', 'source_country', 'source_currency', 'destination_country', 'destination_currency'])
    .distinct()
    .execute();
  const corridorOf = (rate: (typeof rated)[number]) =>
    keyOf(
      rate.fxp_id,
      rate.source_country,
      rate.source_currency,
      rate.destination_country,
      rate.destination_currency,
    );
  const known = new Set(rated.map(corridorOf));
  const missing = rates.filter((rate) => !known.has(corridorOf(rate)));
  if (missing.length === 0) return;
  await db
    .insertInto('rates')
    .values(
      missing.map((rate) => ({
        ...rate,
        tier_improvement_id: tierIds.get(keyOf(rate.fxp_id, rate.source_currency, rate.threshold)) ?? null,
      })),
    )
    .execute();
}
