// Triggers that many tables share.

/** Every process caches these tables. */
const referenceTables = [
  'address_inputs',
  'address_type_countries',
  'address_type_inputs',
  'address_types',
  'book_endpoints',
  'clearing_systems',
  'client_secrets',
  'clients',
  'countries',
  'country_clearing_systems',
  'creditor_agent_fee_formulas',
  'currencies',
  'delivery_keys',
  'fxp_corridors',
  'fxp_endpoints',
  'fxp_settlement_access',
  'institution_identifiers',
  'institution_memberships',
  'institution_roles',
  'institutions',
  'issuer_keys',
  'operator_callback_origins',
  'operators',
  'pauses',
  'psp_improvements',
  'public_keys',
  'scheme_fee_formulas',
  'settlement_accounts',
];

/** Records that are never updated or deleted. */
const insertOnly = [
  'audit_events',
  'audit_seals',
  'decisions',
  'message_bodies',
  'messages',
  'payments',
  'scheme_change_edits',
  'scheme_change_steps',
  'scheme_changes',
];

const functions = `
create function notify_reference_data() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
begin
  perform pg_notify('reference_data', tg_table_name);
  return null;
end
$$;
comment on function notify_reference_data() is 'Tells every process that reference data changed (REF-6).';

create function refuse_change() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
begin
  raise exception '% is insert-only: % refused (LIF-1)', tg_table_name, lower(tg_op)
    using errcode = 'integrity_constraint_violation', hint = 'Correct it by adding a further record.';
end $$;
`;

export const triggers = [
  functions,
  ...referenceTables.map(
    (table) => `create trigger ${table}_changed after insert or update or delete or truncate on ${table}
  for each statement execute function notify_reference_data();\n`,
  ),
  ...insertOnly.map(
    (table) => `create trigger ${table}_insert_only before update or delete or truncate on ${table}
  for each statement execute function refuse_change();\n`,
  ),
].join('');
