// The columns that the oracle reads from the database's tables, as `row_to_json` writes them. Numbers are
// strings, and times are in ISO 8601.
import type { Row } from './read-evidence.ts';

export interface PaymentRow {
  readonly uetr: string;
  readonly source_clearing_system: string;
  readonly message_id: string;
  readonly answer_message_id: string;
  readonly judged_at: string;
  readonly accepted: boolean;
  readonly forwarded_message_id: string | null;
  readonly destination_clearing_system: string | null;
  readonly priority: string | null;
  readonly deadline_at: string | null;
  readonly quote_id: string | null;
  readonly fxp_id: string | null;
  readonly source_amount: string | null;
  readonly source_currency: string | null;
  readonly destination_amount: string | null;
  readonly destination_currency: string | null;
  readonly creditor_agent_fee: string | null;
  readonly debtor_agent_id: string | null;
}

export interface DecisionRow {
  readonly uetr: string;
  readonly status: string;
  readonly reason_code: string | null;
  readonly rule_id: string | null;
  readonly decided_by: string;
  readonly report_message_id: string | null;
  readonly callback_message_id: string | null;
  readonly confirmation_message_id: string | null;
  readonly notification_message_id: string | null;
  readonly decided_at: string;
}

export interface MessageRow {
  readonly message_id: string;
  readonly subject_id: string | null;
  readonly message_type: string;
  readonly message_identification: string;
  readonly direction: 'in' | 'out';
  readonly leg: 'source' | 'destination' | 'fxp';
  readonly party: string;
  readonly status: string | null;
  readonly reason_code: string | null;
  readonly answer_url: string | null;
  readonly in_reply_to: string | null;
  readonly sha256: string;
  readonly body: string;
  readonly created_at: string;
}

export interface DeliveryRow {
  readonly delivery_id: string;
  readonly subject_id: string;
  readonly kind: string;
  readonly message_id: string;
  readonly party: string;
  readonly url: string | null;
  readonly asked_at: string;
  readonly next_due_at: string;
  readonly attempts: string;
  readonly asks: string;
  readonly delivered_at: string | null;
  readonly closed_at: string | null;
  readonly closed_reason: string | null;
  readonly final_report_id: string | null;
}

export interface AttemptRow {
  readonly delivery_id: string;
  readonly attempt: string;
  readonly started_at: string;
  readonly finished_at: string | null;
  readonly outcome: string | null;
  readonly http_status: string | null;
  readonly error_class: string | null;
  readonly url: string | null;
}

export interface AuditRow {
  readonly occurred_at: string;
  readonly severity: string;
  readonly kind: string;
  readonly subject_id: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface QuoteRequestRow {
  readonly quote_request_id: string;
  readonly issued_at: string;
  readonly psp_id: string;
  readonly source_country: string;
  readonly source_currency: string;
  readonly destination_country: string;
  readonly destination_currency: string;
  readonly amount_currency: string;
  readonly amount: string;
  readonly fxp_ids: readonly string[];
  readonly rate_ids: readonly string[];
  readonly exchange_rates: readonly string[];
  readonly source_amounts: readonly string[];
  readonly source_capped: readonly boolean[];
  readonly destination_amounts: readonly string[];
  readonly destination_capped: readonly boolean[];
  readonly scheme_fees: readonly string[];
  readonly creditor_agent_fees: readonly string[];
  readonly source_sap_ids: readonly string[];
  readonly source_account_ids: readonly string[];
  readonly destination_sap_ids: readonly string[];
  readonly destination_account_ids: readonly string[];
}

export interface RateRow {
  readonly rate_id: string;
  readonly fxp_id: string;
  readonly source_country: string;
  readonly source_currency: string;
  readonly destination_country: string;
  readonly destination_currency: string;
  readonly exchange_rate: string;
  readonly threshold: string;
  readonly created_at: string;
  readonly expired_at: string | null;
}

export interface ResolutionRow {
  readonly resolution_id: string;
  readonly source_clearing_system: string;
  readonly deadline_at: string;
}

export interface ResolutionAnswerRow {
  readonly resolution_id: string;
  readonly verified: boolean;
  readonly reason_code: string | null;
  readonly rule_id: string | null;
  readonly answered_by: string;
  readonly report_message_id: string | null;
  readonly answer_message_id: string;
  readonly answered_at: string;
}

export interface PauseRow {
  /** Id of a clearing system or of an FX provider. */
  readonly party_id: string;
  readonly paused_at: string;
  readonly resumed_at: string | null;
}

/** The tables that the checks read, with the types of their rows. */
interface Forms {
  readonly payments: PaymentRow;
  readonly decisions: DecisionRow;
  readonly messages: MessageRow;
  readonly deliveries: DeliveryRow;
  readonly delivery_attempts: AttemptRow;
  readonly audit_events: AuditRow;
  readonly quote_requests: QuoteRequestRow;
  readonly quote_uses: { readonly quote_id: string; readonly uetr: string };
  readonly callback_addresses: {
    readonly message_id: string;
    readonly url: string;
    readonly named_at: string;
  };
  readonly rates: RateRow;
  readonly psp_improvements: {
    readonly fxp_id: string;
    readonly psp_id: string;
    readonly improvement_basis_points: string;
  };
  readonly tier_improvements: {
    readonly fxp_id: string;
    readonly unit_currency: string;
    readonly threshold: string;
    readonly improvement_basis_points: string;
  };
  readonly resolutions: ResolutionRow;
  readonly resolution_answers: ResolutionAnswerRow;
  readonly pauses: PauseRow;
}

/** Returns the rows of a table, or none if the table is missing. */
export function rowsOf<Table extends keyof Forms>(
  tables: Readonly<Record<string, readonly Row[]>>,
  table: Table,
): readonly Forms[Table][] {
  return (tables[table] ?? []) as unknown as readonly Forms[Table][];
}

/** Converts a time from the database or a file to milliseconds since 1970, including fractions. */
export function instant(text: string): number;
export function instant(text: string | null | undefined): number | undefined;
export function instant(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined) return undefined;
  const [, whole = text, fraction = '', zone = 'Z'] =
    /^(.*?)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? [];
  return Date.parse(`${whole.replace(' ', 'T')}${zone}`) + Number(`0.${fraction || '0'}`) * 1_000;
}

export function clock(at: number): string {
  return Number.isFinite(at) ? new Date(at).toISOString() : 'never';
}
