// I-4: GET /payments/{uetr} shows the state that is on record at that moment.
import type { Exchange } from '../evidence.ts';
import { instant } from '../rows.ts';
import type { Report } from '../verdict.ts';
import type { Payment, World } from '../world.ts';

interface Shown {
  readonly status: string;
  readonly decision: { readonly status: string; readonly reasonCode: string | null } | null;
}

const lockMs = 5_000; // decided_at is the start of the SQL statement; a lock may delay its commit

export function judgeShown({ evidence, paymentOf }: World, report: Report): void {
  const shown = evidence.exchanges.filter(
    ({ method, path, status }) =>
      method === 'GET' && status === 200 && /^\/payments\/[0-9a-f-]{36}$/.test(path),
  );
  report.examined('I-4', 'records of payments that were shown', shown.length);
  for (const exchange of shown) {
    const uetr = exchange.path.split('/')[2] ?? '';
    const told = JSON.parse(exchange.responseBody ?? '') as Shown;
    const payment = paymentOf.get(uetr);
    if (payment === undefined) {
      if (['RCVD', 'REFUSED'].includes(told.status)) continue; // the message is stored but not judged yet, or refused
      report.breach('I-10', `A payment was shown as ${told.status}, and there is none.`, uetr, [told]);
    } else if (!isTrue(payment, told, exchange)) {
      const { client, sentAt, endedAt } = exchange;
      report.breach('I-4', 'What is shown of a payment is not what is on record.', uetr, [
        `${client} asked ${sentAt} to ${endedAt}: ${told.status}`,
        told.decision,
        payment.decision,
      ]);
    }
  }
}

function isTrue(
  { decision, decidedAt = Infinity, judgedAt }: Payment,
  told: Shown,
  { sentAt, endedAt }: Exchange,
): boolean {
  if (told.decision !== null) {
    const isSame =
      told.decision.status === decision?.status && told.decision.reasonCode === decision.reason_code;
    if (!isSame || told.status !== decision.status) return false;
  }
  if (told.status === 'ACTC') return decidedAt > instant(sentAt) - lockMs;
  if (told.status === 'RCVD') return judgedAt > instant(sentAt) - lockMs;
  return told.status === decision?.status && decidedAt <= instant(endedAt) + 5;
}
