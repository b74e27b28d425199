// What each database role may do (SEC-6), in one table: `migrate` makes the roles and brings their rights to what stands
// here. The migrator owns the tables; api and worker change what they must, and no record that is insert-only; readonly
// is for reports.
import { sql } from 'kysely';
import pg from 'pg';
import { ConfigurationError } from '../core/config.ts';
import type { Db } from './connection.ts';
import { kindTables } from './scheme/kinds.ts';

type Privilege = 'select' | 'insert' | 'update' | 'delete';
/** By table. */
type Rights = Readonly<Record<string, readonly Privilege[]>>;

/** Roles of the whole server, without login until somebody gives them one. */
export type DatabaseRole = 'isthmus_api' | 'isthmus_worker' | 'isthmus_readonly';

const read: readonly Privilege[] = ['select'];
/** Written once. */
const add: readonly Privilege[] = ['select', 'insert'];
/** Written, and carried on later; never removed. */
const keep: readonly Privilege[] = ['select', 'insert', 'update'];
const all: readonly Privilege[] = ['select', 'insert', 'update', 'delete'];

/** What everybody may read: the scheme's data and the record of messages and payments. */
const readable = {
  address_inputs: read,
  address_type_countries: read,
  address_type_inputs: read,
  address_types: read,
  alert_states: read,
  audit_events: read,
  book_endpoints: read,
  book_pages: read,
  books_closed: read,
  callback_addresses: read,
  case_entries: read,
  clearing_systems: read,
  countries: read,
  country_clearing_systems: read,
  creditor_agent_fee_formulas: read,
  currencies: read,
  decisions: read,
  deliveries: read,
  endpoint_probes: read,
  delivery_attempts: read,
  former_account_owners: read,
  former_book_endpoints: read,
  fxp_corridors: read,
  fxp_endpoints: read,
  fxp_settlement_access: read,
  institution_identifiers: read,
  institution_memberships: read,
  institution_roles: read,
  institutions: read,
  leases: read,
  logged_alerts: read,
  message_identifications: read,
  messages: read,
  operator_callback_origins: read,
  operators: read,
  pauses: read,
  payments: read,
  psp_improvements: read,
  public_keys: read,
  quote_requests: read,
  quote_uses: read,
  rates: read,
  receiver_states: read,
  recorded_outcomes: read,
  refusals: read,
  refused_messages: read,
  resolution_answers: read,
  resolutions: read,
  scheme_change_edits: read,
  scheme_change_steps: read,
  scheme_changes: read,
  scheme_fee_formulas: read,
  settlement_accounts: read,
  tier_improvements: read,
  worker_states: read,
} satisfies Rights;

/** What operators of the scheme change (ADM-1), by its documents (db/scheme/kinds.ts). */
const administered: Rights = Object.fromEntries(
  Object.values(kindTables).flatMap(({ tables }) =>
    tables.map(({ table, atEnd }) => [table, atEnd === 'mark' ? keep : all]),
  ),
);

const rights: Readonly<Record<DatabaseRole, Rights>> = {
  isthmus_api: {
    ...readable,
    ...administered,
    scheme_changes: add,
    scheme_change_edits: add,
    scheme_change_steps: add,
    endpoint_probes: add,
    // takes in
    messages: add,
    refused_messages: add,
    callback_addresses: add,
    quote_requests: add,
    quote_requests_default: read, // days whose partition came too late
    rates: keep,
    tier_improvements: keep,
    psp_improvements: keep,
    idempotency_keys: all, // kept for a day
    // lets in
    issuer_keys: keep,
    // what operators do
    audit_events: add,
    case_entries: add,
    recorded_outcomes: keep,
    pauses: keep,
    deliveries: keep,
    books_closed: ['select', 'update'],
  },
  isthmus_worker: {
    ...readable,
    messages: add,
    refused_messages: add,
    refusals: add,
    audit_events: add,
    payments: add,
    message_identifications: keep,
    quote_uses: ['select', 'insert', 'delete'],
    decisions: add,
    resolutions: add,
    resolution_answers: add,
    deliveries: all, // an enquiry that nobody needs any more
    delivery_attempts: keep,
    book_pages: add,
    books_closed: ['select', 'update'],
    logged_alerts: add,
    endpoint_probes: ['select', 'update'],
    leases: all,
    worker_states: all,
    receiver_states: all,
  },
  isthmus_readonly: readable,
};

/** Functions that run with the rights of the owner, with the roles that may call them; nobody else may. */
const callable: Readonly<Record<string, readonly DatabaseRole[]>> = {
  'callback_address(uuid)': ['isthmus_api', 'isthmus_worker'],
  'make_quote_partition(date)': ['isthmus_api'],
  'drop_quote_partition(date)': ['isthmus_api'],
};

const roles = Object.keys(rights) as readonly DatabaseRole[];

/**
 * Makes the roles that are missing and gives them their rights on this database, in one transaction. Safe to repeat,
 * and from several processes at once.
 * @throws ConfigurationError when a role is not there and the login may not make it
 */
export async function grantRights(db: Db): Promise<void> {
  for (const role of roles) await ensureRole(db, role);
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext('rights of the database roles'))`.execute(trx);
    for (const role of roles) {
      const to = sql.id(role);
      await sql`revoke all on all tables in schema public from ${to}`.execute(trx);
      await sql`grant usage on schema public to ${to}`.execute(trx);
      await sql`revoke all on all functions in schema public from ${to}`.execute(trx);
      for (const [table, privileges] of Object.entries(rights[role])) {
        await sql`grant ${sql.raw(privileges.join(', '))} on ${sql.table(table)} to ${to}`.execute(trx);
      }
    }
    for (const [name, callers] of Object.entries(callable)) {
      const to = sql.join(callers.map((role) => sql.id(role)));
      await sql`grant execute on function ${sql.raw(name)} to ${to}`.execute(trx);
    }
  });
}

const duplicateObject = '42710';
const uniqueViolation = '23505';
const insufficientPrivilege = '42501';

/** Another database of the same server may make it at the same moment. */
async function ensureRole(db: Db, role: DatabaseRole): Promise<void> {
  const { rows } = await sql`select from pg_roles where rolname = ${role}`.execute(db);
  if (rows.length > 0) return;
  try {
    await sql`create role ${sql.id(role)}`.execute(db);
  } catch (error) {
    const code = error instanceof pg.DatabaseError ? error.code : undefined;
    if (code === duplicateObject || code === uniqueViolation) return;
    if (code !== insufficientPrivilege) throw error;
    throw new ConfigurationError(
      `The database role ${role} is missing, and the login of DATABASE_URL may not make it. Give that login CREATEROLE, ` +
        `or have an administrator run: ${roles.map((one) => `create role ${one};`).join(' ')} Then start again.`,
    );
  }
}
