// The rights of each database role, in one table. `migrate` makes the roles and sets their rights to this table. The
// migrator owns the tables. The api and the worker may change only what they must, and no insert-only record. The
// readonly role is for reports.
import { sql } from 'kysely';
import pg from 'pg';
import { ConfigurationError } from '../../core/settings/environment-variables.ts';
import type { Db } from '../pool/connection.ts';
import { yearly } from '../records/partitions.ts';
import { kindTables } from '../scheme/kinds.ts';

type Privilege = 'select' | 'insert' | 'update' | 'delete';
type Rights = Readonly<Record<string, readonly Privilege[]>>;

/** Roles that exist for the whole database server. They cannot log in until an administrator allows it. */
export type DatabaseRole = 'isthmus_api' | 'isthmus_worker' | 'isthmus_readonly';

const read: readonly Privilege[] = ['select'];
/** For rows that are written once. */
const add: readonly Privilege[] = ['select', 'insert'];
/** For rows that are written and later updated, but never deleted. */
const keep: readonly Privilege[] = ['select', 'insert', 'update'];
const all: readonly Privilege[] = ['select', 'insert', 'update', 'delete'];

/** Tables that every role may read: the scheme's data and the record of messages and payments. */
const readable: Rights = Object.fromEntries(
  [
    ...Object.entries(kindTables)
      .filter(([kind]) => kind !== 'clients') // the tables of clients contain secrets
      .flatMap(([, { tables }]) => tables.map(({ table }) => table)),
    'alert_states',
    'audit_events',
    'audit_seals',
    'book_pages',
    'books_closed',
    'callback_addresses',
    'case_entries',
    'decisions',
    'deliveries',
    'delivery_attempts',
    'delivery_keys',
    'endpoint_probes',
    'endpoint_trials',
    'former_account_owners',
    'former_book_endpoints',
    'leases',
    'logged_alerts',
    'message_bodies',
    'message_identifications',
    'message_keys',
    'messages',
    'partitions',
    'pauses',
    'payment_keys',
    'payments',
    'psp_improvements',
    'quote_requests',
    'quote_uses',
    'rates',
    'receiver_states',
    'recorded_outcomes',
    'refusals',
    'refused_messages',
    'refused_signatures',
    'resolution_answers',
    'resolutions',
    'scheme_change_edits',
    'scheme_change_steps',
    'scheme_changes',
    'tier_improvements',
    'worker_states',
  ].map((table) => [table, read]),
);

const partitioned = ['quote_requests', 'message_bodies', ...Object.keys(yearly)];

/** Tables that operators change through documents (db/scheme/kinds.ts). */
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
    endpoint_trials: keep,
    // intake
    messages: add,
    message_bodies: add,
    message_keys: add,
    refused_messages: add,
    callback_addresses: add,
    quote_requests: add,
    ...Object.fromEntries(partitioned.map((table) => [`${table}_default`, read])), // holds rows that have no partition yet
    rates: keep,
    tier_improvements: keep,
    psp_improvements: keep,
    idempotency_keys: all, // rows are kept for a day
    // authentication
    issuer_keys: keep,
    // the api rotates the keys that sign deliveries, but cannot read their private parts
    delivery_keys: keep,
    delivery_key_secrets: ['insert'],
    // the api seals the messages that it stores
    data_keys: keep,
    request_counts: all,
    refused_signatures: all, // rows are kept for 62 days
    used_assertions: all,
    portal_sessions: all,
    // actions of operators
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
    message_bodies: add,
    message_keys: add,
    refused_messages: add,
    refusals: add,
    audit_events: add,
    payments: add,
    message_identifications: keep,
    quote_uses: ['select', 'insert', 'delete'],
    decisions: add,
    resolutions: add,
    resolution_answers: add,
    deliveries: all, // delete: removes an enquiry that is no longer needed
    delivery_attempts: keep,
    book_pages: add,
    books_closed: ['select', 'update'],
    logged_alerts: add,
    endpoint_probes: ['select', 'update'],
    endpoint_trials: ['select', 'update'],
    leases: all,
    worker_states: all,
    receiver_states: all,
    // the worker signs messages, and seals the record
    audit_seals: add,
    delivery_keys: keep,
    delivery_key_secrets: keep,
    data_keys: keep,
  },
  isthmus_readonly: readable,
};

/**
 * Functions and the roles that may call them. No other role may call a function of the schema or use it in a
 * trigger. Each function except held_data_key runs with the rights of the owner.
 */
const callable: Readonly<Record<string, readonly DatabaseRole[]>> = {
  'callback_address(uuid)': ['isthmus_api', 'isthmus_worker'],
  'held_data_key(text)': ['isthmus_api', 'isthmus_worker'],
  'make_partition(text, date)': ['isthmus_api'],
  'drop_quote_partition(date)': ['isthmus_api'],
};

const roles = Object.keys(rights) as readonly DatabaseRole[];

/**
 * Makes the missing roles and sets their rights on this database, in one transaction. Idempotent, and safe to
 * run from several processes at once.
 * @param say called with each task that an administrator has to do
 * @throws ConfigurationError if a role is missing and this login may not make it
 */
export async function grantRights(db: Db, say: (what: string) => void = () => undefined): Promise<void> {
  for (const role of roles) await ensureRole(db, role);
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext('rights of the database roles'))`.execute(trx);
    await closeToPublic(trx, say);
    for (const role of roles) {
      const to = sql.id(role);
      await sql`revoke all on all tables in schema public from ${to}`.execute(trx);
      await sql`grant usage on schema public to ${to}`.execute(trx);
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

/**
 * Revokes the rights that Postgres grants to everybody: to connect to this database, to make temporary
 * tables, and to call our functions. Some functions run with the rights of the owner, and somebody could
 * attach them to a table as triggers.
 */
async function closeToPublic(db: Db, say: (what: string) => void): Promise<void> {
  const { rows: functions } = await sql<{ name: string }>`
    select p.oid::regprocedure::text as name from pg_proc p
    where pronamespace = 'public'::regnamespace and prokind = 'f'
      and proowner in (select relowner from pg_class where oid = 'payments'::regclass
        union select oid from pg_roles where rolname = current_user)
      and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = p.oid and deptype = 'e')`.execute(
    db,
  );
  const all = sql.join(roles.map((role) => sql.id(role)));
  for (const { name } of functions)
    await sql`revoke all on function ${sql.raw(name)} from public, ${all}`.execute(db);
  const { rows: databases } = await sql<{ name: string; login: string; isTheirs: boolean; isOpen: boolean }>`
    select quote_ident(datname) as name, quote_ident(current_user) as login, pg_has_role(datdba, 'usage') as "isTheirs",
      has_database_privilege('public', oid, 'connect, temporary') as "isOpen"
    from pg_database where datname = current_database()`.execute(db);
  for (const { name, login, isTheirs, isOpen } of databases) {
    const statements = [
      `grant connect on database ${name} to ${[login, ...roles].join(', ')}`,
      `revoke connect, temporary on database ${name} from public`,
    ];
    if (isTheirs) for (const statement of statements) await sql.raw(statement).execute(db);
    else if (isOpen)
      say(
        `every login of the server may connect to the database: have its owner run ${statements.join('; ')};`,
      );
  }
}

const duplicateObject = '42710';
const uniqueViolation = '23505';
const insufficientPrivilege = '42501';

/** Makes the role if it is missing. Another database of the same server may make it at the same moment. */
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
