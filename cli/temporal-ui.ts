// Links into the Temporal UI: the list of payments, and one payment. It must not ask the server.
import type { RunFile } from './run-file.ts';

/** What the list shows; operators put more after it (docs/operations/postgres-and-temporal.md). */
const everyPayment = 'WorkflowType = "payment"';

/** The list of all payments; undefined for a Temporal server whose UI we do not know. */
export function paymentsUrl({ temporalUiUrl, temporalNamespace }: RunFile): string | undefined {
  if (temporalUiUrl === undefined) return undefined;
  return `${temporalUiUrl}/namespaces/${temporalNamespace}/workflows?query=${encodeURIComponent(everyPayment)}`;
}

/** One payment; undefined as above. */
export function paymentUrl({ temporalUiUrl, temporalNamespace }: RunFile, uetr: string): string | undefined {
  if (temporalUiUrl === undefined) return undefined;
  return `${temporalUiUrl}/namespaces/${temporalNamespace}/workflows/${encodeURIComponent(`pacs008/${uetr}`)}`;
}
