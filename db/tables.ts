// The tables as Kysely sees them, as far as queries use its builder. db/schema.sql has all tables and
// columns, and explains each column and its unit. Amounts and rates are `numeric` in the database, and
// decimal text here.
import type { ColumnType, Generated } from 'kysely';

/** Written as JSON text, read as the parsed value. */
type JsonColumn = ColumnType<unknown, string, string>;

interface CountriesTable {
  country_code: string;
  country_id: number;
  name: string;
}

interface OperatorsTable {
  operator_id: string;
  name: string;
  endpoint_url: string;
}

interface OperatorCallbackOriginsTable {
  operator_id: string;
  origin: string;
}

interface ClearingSystemsTable {
  clearing_system_id: string;
  currency_code: string;
  max_execution_seconds: number;
  max_resolution_seconds: Generated<number>;
}

interface InstitutionsTable {
  institution_id: string;
  name: string;
  country_code: string;
  onboarded: boolean;
  supports_acmt023: boolean;
}

interface InstitutionRolesTable {
  institution_id: string;
  role: string;
}

interface FxpEndpointsTable {
  fxp_id: string;
  notification_url: string;
}

interface PublicKeysTable {
  key_id: string;
  operator_id: string | null;
  institution_id: string | null;
  public_jwk: JsonColumn;
  valid_from: Date;
  valid_until: Date | null;
}

interface ClientsTable {
  client_id: string;
  role: string;
  institution_id: string | null;
  clearing_system_id: string | null;
  demo: boolean;
}

interface ClientSecretsTable {
  client_id: string;
  secret_id: string;
  salt: Buffer;
  digest: Buffer;
  algorithm: Generated<string>;
  tag: Buffer | null;
  ends_at: Date | null;
}

interface IssuerKeysTable {
  key_id: string;
  private_jwk: JsonColumn;
  wrapped_by: string | null;
  withdrawn_at: Date | null;
  made_by: Generated<string>;
  because: Generated<string>;
  created_at: Generated<Date>;
  retired_at: Date | null;
}

interface DeliveryKeysTable {
  key_id: string;
  signs_from: Generated<Date>;
  made_by: string;
  because: string;
}

interface DeliveryKeySecretsTable {
  private_key: string;
}

interface FxpCorridorsTable {
  fxp_id: string;
  source_country: string;
  source_currency: string;
  destination_country: string;
  destination_currency: string;
}

interface CreditorAgentFeeFormulasTable {
  country_code: string;
  currency_code: string;
  nominal_fee_amount: string;
  percentage_fee: string;
}

interface TierImprovementsTable {
  tier_improvement_id: Generated<string>;
  fxp_id: string;
  unit_currency: string;
  threshold: string;
  improvement_basis_points: string;
}

interface PspImprovementsTable {
  fxp_id: string;
  psp_id: string;
  improvement_basis_points: string;
}

interface RatesTable {
  rate_id: Generated<string>;
  fxp_id: string;
  source_country: string;
  source_currency: string;
  destination_country: string;
  destination_currency: string;
  exchange_rate: string;
  threshold: string;
  tier_improvement_id: string | null;
  created_at: Generated<Date>;
  expired_at: Date | null;
}

interface IdempotencyKeysTable {
  idempotency_key: string;
  created_at: Generated<Date>;
}

interface PortalSessionsTable {
  session_hash: string;
  client_id: string;
  content: string;
  seen_at: Generated<Date>;
  ends_at: Date;
}

interface QuoteRequestsTable {
  quote_request_id: string;
  issued_at: Date;
  psp_id: string;
  source_country: string;
  source_currency: string;
  destination_country: string;
  destination_currency: string;
  amount_currency: string;
  amount: string;
  fxp_ids: readonly string[];
  rate_ids: readonly string[];
  tier_improvement_ids: readonly (string | null)[];
  psp_improvement_ids: readonly (string | null)[];
  exchange_rates: readonly string[];
  source_amounts: readonly string[];
  source_capped: readonly boolean[];
  destination_amounts: readonly string[];
  destination_capped: readonly boolean[];
  scheme_fees: readonly (string | null)[];
  creditor_agent_fees: readonly (string | null)[];
  source_sap_ids: readonly string[];
  source_account_ids: readonly string[];
  destination_sap_ids: readonly string[];
  destination_account_ids: readonly string[];
}

interface QuoteUsesTable {
  quote_id: string;
  uetr: string;
}

interface MessagesTable {
  message_id: string;
  /**
   * UETR of a payment, or id of a resolution or of a page of a book. It means the same in every table here.
   */
  subject_id: string | null;
  message_type: string;
  message_identification: string;
  direction: string;
  leg: string;
  party: string;
  status: string | null;
  reason_code: string | null;
  in_reply_to: string | null;
  refusal: string | null;
  sha256: Buffer;
  size: number;
  created_at: Generated<Date>;
}

interface MessageBodiesTable {
  message_id: string;
  body: Buffer;
}

interface MessageIdentificationsTable {
  message_identification: string;
  uetr: string;
  claimed_at: Date;
}

interface PaymentsTable {
  uetr: string;
  source_clearing_system: string;
  message_id: string;
  judged_at: Date;
  accepted: boolean;
  forwarded_message_id: string | null;
  corridor: string | null;
  priority: string | null;
  deadline_at: Date | null;
  quote_id: string | null;
  fxp_id: string | null;
  destination_amount: string | null;
  destination_currency: string | null;
  creditor_agent_fee: string | null;
  destination_sap_id: string | null;
  destination_account_id: string | null;
}

interface DecisionsTable {
  uetr: string;
  status: string;
  reason_code: string | null;
  rule_id: string | null;
  decided_by: string;
  decided_at: Generated<Date>;
}

interface ResolutionsTable {
  resolution_id: string;
  message_identification: string;
  judged_at: Date;
  deadline_at: Date;
}

interface ResolutionAnswersTable {
  resolution_id: string;
  verified: boolean;
  reason_code: string | null;
  rule_id: string | null;
  answered_by: string;
  answered_at: Generated<Date>;
}

interface DeliveriesTable {
  delivery_id: string;
  subject_id: string;
  begun_at: Date;
  kind: string;
  message_id: string;
  party: string;
  url: string | null;
  asks: Generated<number>;
  round: string | null;
  claim: string | null;
  final_report_id: string | null;
  asked_at: Generated<Date>;
  next_due_at: Generated<Date>;
  attempts: Generated<number>;
  attempts_since_asked: Generated<number>;
  delivered_at: Date | null;
  closed_at: Date | null;
  closed_reason: string | null;
}

interface DeliveryAttemptsTable {
  delivery_id: string;
  attempt: number;
  started_at: Generated<Date>;
  outcome: string | null;
  http_status: number | null;
  error_class: string | null;
  url: string | null;
  response_excerpt: string | null;
}

interface LeasesTable {
  name: string;
}

interface AuditEventsTable {
  audit_event_id: Generated<string>;
  severity: string;
  kind: string;
  subject_id: string | null;
  party: string | null;
  detail: ColumnType<unknown, string | undefined, never>;
}

export interface Database {
  messages: MessagesTable;
  message_bodies: MessageBodiesTable;
  message_identifications: MessageIdentificationsTable;
  payments: PaymentsTable;
  decisions: DecisionsTable;
  resolutions: ResolutionsTable;
  resolution_answers: ResolutionAnswersTable;
  deliveries: DeliveriesTable;
  delivery_attempts: DeliveryAttemptsTable;
  audit_events: AuditEventsTable;
  leases: LeasesTable;
  countries: CountriesTable;
  operators: OperatorsTable;
  operator_callback_origins: OperatorCallbackOriginsTable;
  clearing_systems: ClearingSystemsTable;
  institutions: InstitutionsTable;
  institution_roles: InstitutionRolesTable;
  fxp_endpoints: FxpEndpointsTable;
  public_keys: PublicKeysTable;
  client_secrets: ClientSecretsTable;
  clients: ClientsTable;
  issuer_keys: IssuerKeysTable;
  delivery_keys: DeliveryKeysTable;
  delivery_key_secrets: DeliveryKeySecretsTable;
  fxp_corridors: FxpCorridorsTable;
  creditor_agent_fee_formulas: CreditorAgentFeeFormulasTable;
  tier_improvements: TierImprovementsTable;
  psp_improvements: PspImprovementsTable;
  rates: RatesTable;
  idempotency_keys: IdempotencyKeysTable;
  portal_sessions: PortalSessionsTable;
  quote_requests: QuoteRequestsTable;
  quote_uses: QuoteUsesTable;
}
