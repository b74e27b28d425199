// The tables of payments and resolutions: messages, decisions, deliveries, the audit trail. Part of db/tables.ts.
import type { ColumnType, Generated } from 'kysely';

/** Written as JSON text, read as the parsed value. */
type JsonColumn = ColumnType<unknown, string, string>;

interface MessagesTable {
  message_id: string;
  /** UETR of a payment, or id of a resolution or of a page of a book; the same in every table here. */
  subject_id: string | null;
  message_type: string;
  message_identification: string;
  direction: string;
  leg: string;
  party: string;
  status: string | null;
  reason_code: string | null;
  answer_url: string | null;
  in_reply_to: string | null;
  refusal: string | null;
  sha256: Buffer;
  size: number;
  created_at: Generated<Date>;
}

interface MessageBodiesTable {
  message_id: string;
  created_at: Date;
  body: Buffer;
  key_id: string | null;
}

interface MessageIdentificationsTable {
  source_clearing_system: string;
  message_identification: string;
  uetr: string;
  claimed_at: Date;
}

interface PaymentsTable {
  uetr: string;
  begun_at: Date;
  source_clearing_system: string;
  message_id: string;
  answer_message_id: string;
  judged_at: Date;
  accepted: boolean;
  forwarded_message_id: string | null;
  destination_clearing_system: string | null;
  corridor: string | null;
  priority: string | null;
  acceptance_at: Date | null;
  deadline_at: Date | null;
  quote_id: string | null;
  fxp_id: string | null;
  exchange_rate: string | null;
  source_amount: string | null;
  source_currency: string | null;
  destination_amount: string | null;
  destination_currency: string | null;
  creditor_agent_fee: string | null;
  debtor_agent_id: string | null;
  creditor_agent_id: string | null;
  source_sap_id: string | null;
  source_account_id: string | null;
  destination_sap_id: string | null;
  destination_account_id: string | null;
  source_references: JsonColumn | null;
  destination_references: JsonColumn | null;
}

interface DecisionsTable {
  uetr: string;
  begun_at: Date;
  status: string;
  reason_code: string | null;
  rule_id: string | null;
  decided_by: string;
  outcome_id: string | null;
  report_message_id: string | null;
  callback_message_id: string | null;
  confirmation_message_id: string | null;
  notification_message_id: string | null;
  decided_at: Generated<Date>;
}

interface ResolutionsTable {
  resolution_id: string;
  source_clearing_system: string;
  message_identification: string;
  judged_at: Date;
  deadline_at: Date;
  destination_country: string | null;
  destination_clearing_system: string | null;
}

interface ResolutionAnswersTable {
  resolution_id: string;
  verified: boolean;
  reason_code: string | null;
  rule_id: string | null;
  answered_by: string;
  report_message_id: string | null;
  answer_message_id: string;
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
  enquiry_asked_at: Date | null;
  enquiry_owed_since: Date | null;
  asked_at: Generated<Date>;
  next_due_at: Generated<Date>;
  attempts: Generated<number>;
  attempts_since_asked: Generated<number>;
  possibly_sent: Generated<number>;
  delivered_at: Date | null;
  closed_at: Date | null;
  closed_reason: string | null;
}

interface DeliveryAttemptsTable {
  delivery_id: string;
  attempt: number;
  begun_at: Date;
  started_at: Generated<Date>;
  finished_at: Date | null;
  outcome: string | null;
  http_status: number | null;
  duration_ms: number | null;
  error_class: string | null;
  url: string | null;
  response_excerpt: string | null;
  excerpt_key_id: string | null;
}

interface CallbackAddressesTable {
  message_id: string;
  url: string;
  named_at: Generated<Date>;
}

interface RefusalsTable {
  message_id: string;
  answer_message_id: string;
}

interface LeasesTable {
  name: string;
  holder: string;
  held_until: Date;
}

interface AuditEventsTable {
  audit_event_id: Generated<string>;
  occurred_at: Generated<Date>;
  severity: string;
  kind: string;
  subject_id: string | null;
  party: string | null;
  detail: ColumnType<unknown, string | undefined, never>;
}

export interface PaymentTables {
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
  callback_addresses: CallbackAddressesTable;
  refusals: RefusalsTable;
  leases: LeasesTable;
}
