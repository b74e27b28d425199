/** The demo's rows, as its directory makes them in a database, and what several test files ask of them. */
import { sql, type Selectable } from 'kysely';
import { expect } from 'vitest';
import { connect } from '../../../db/pool/connection.ts';
import { seed } from '../../../db/seed.ts';
import type { Database } from '../../../db/tables.ts';
import { testDatabase } from '../../harness/database.ts';

const database = await testDatabase();
await seed(database.url, {
  operatorEndpointUrl: (operatorId) => `http://127.0.0.1:9000/${operatorId}`,
  fxpBaseUrl: (bic) => `http://127.0.0.1:9001/${bic}`,
});
const db = connect(database.url, { applicationName: 'isthmus-test', maxConnections: 1 });

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
  'rates',
] as const;
/** Tables that only these tests read as a whole. */
interface SeedTables extends Database {
  readonly currencies: { currency_code: string; currency_id: number; name: string; decimal_places: number };
  readonly country_clearing_systems: { country_code: string; clearing_system_id: string };
  readonly address_types: { clearing_system_id: string | null };
  readonly address_type_countries: { country_code: string };
  readonly address_inputs: {
    address_input_id: string;
    label: unknown;
    attributes: unknown;
    iso20022_xpath: unknown;
  };
  readonly address_type_inputs: { address_input_id: string };
  readonly institution_identifiers: {
    identifier_type: string;
    lookup_value: string;
    value: string;
    institution_id: string;
  };
  readonly institution_memberships: { institution_id: string; clearing_system_id: string };
  readonly book_endpoints: { url: string };
  readonly settlement_accounts: {
    owner_id: string;
    sap_id: string;
    country_code: string;
    currency_code: string;
    account_id: string;
  };
  readonly fxp_settlement_access: {
    fxp_id: string;
    country_code: string;
    sap_id: string;
    validated: boolean;
  };
  readonly scheme_fee_formulas: { country_code: string; currency_code: string; nominal_fee_amount: string };
}
type Rows = { readonly [Table in (typeof tables)[number]]: Selectable<SeedTables[Table]>[] };

const read = async (table: string) => [
  table,
  (await sql`select * from ${sql.table(table)}`.execute(db)).rows,
];
export const rows = Object.fromEntries(await Promise.all(tables.map(read))) as Rows;
await db.destroy(); // this module outlives the file that asked first

export const corridorOf = (
  row: Pick<
    Rows['fxp_corridors'][number],
    'source_country' | 'source_currency' | 'destination_country' | 'destination_currency'
  >,
): string =>
  [row.source_country, row.source_currency, row.destination_country, row.destination_currency].join(' ');

export const places = rows.country_clearing_systems.map(
  ({ country_code: country, clearing_system_id: id }) => ({
    country,
    currency: rows.clearing_systems.find((system) => system.clearing_system_id === id)!.currency_code,
  }),
);

/** Fails with the keys that occur twice. */
export function expectUnique(keys: readonly string[]): void {
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
}
