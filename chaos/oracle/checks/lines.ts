// Formats entries, deliveries and values as short lines of evidence.
import type { JournalEntry } from '../read-evidence.ts';
import { clock } from '../rows.ts';
import type { Delivery, Payment } from '../world.ts';

/** Messages about a payment that parties of one kind received. */
export const received = (payment: Payment, party: string, kind: string): readonly JournalEntry[] =>
  payment.journal.filter(
    (entry) => entry.direction === 'received' && entry.kind === kind && entry.party.startsWith(`${party}/`),
  );

/** An entry without its bytes. */
export const brief = ({
  at,
  party,
  kind,
  status,
  reasonCode,
  httpStatus,
  messageId,
  sha256,
  note,
}: JournalEntry) => ({
  at,
  party,
  kind,
  status,
  reasonCode,
  httpStatus,
  messageId,
  sha256: sha256?.slice(0, 12),
  note,
});

/** The state of a delivery, in one line. */
export function standingOf(delivery: Delivery): string {
  const { row, attempts, deliveredAt, closedAt, nextDueAt } = delivery;
  const end =
    deliveredAt !== undefined
      ? `delivered ${clock(deliveredAt)}`
      : closedAt !== undefined
        ? `closed ${clock(closedAt)} (${row.closed_reason ?? ''})`
        : `open, due ${clock(nextDueAt)}`;
  const last = attempts.at(-1)?.row;
  return `${row.kind} to ${row.party}: ${end}; ${attempts.length} attempts, last ${last?.started_at ?? 'none'} ${last?.outcome ?? ''} ${last?.http_status ?? last?.error_class ?? ''}`;
}

/** A name, the actual value, and the expected value. */
export type Line = readonly [what: string, is: unknown, mustBe: unknown];

export const faultsIn = (lines: readonly Line[]): readonly string[] =>
  lines
    .filter(([, is, mustBe]) => is !== mustBe)
    .map(([what, is, mustBe]) => `${what}: ${String(is)} instead of ${String(mustBe)}`);
