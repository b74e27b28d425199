// Formats attempts, requests, deliveries and wrong values as short lines of evidence.
import type { Exchange } from '../evidence.ts';
import type { JournalEntry } from '../read-evidence.ts';
import { clock } from '../rows.ts';
import type { Attempt, Delivery, Payment } from '../world.ts';

/**
 * Returns the journal entries of the messages of one kind that parties of one role received about a payment.
 */
export const received = (payment: Payment, party: string, kind: string): readonly JournalEntry[] =>
  payment.journal.filter(
    (entry) => entry.direction === 'received' && entry.kind === kind && entry.party.startsWith(`${party}/`),
  );

/** Formats an attempt as one line. */
export const lineOfAttempt = ({ row }: Attempt) =>
  `attempt ${row.attempt} ${row.started_at} to ${row.finished_at ?? 'open'} ${row.outcome ?? ''} ${row.http_status ?? row.error_class ?? ''}`;

/** Formats an HTTP request and the result as one line. */
export const lineOfExchange = (exchange: Exchange) =>
  `${exchange.client} ${exchange.purpose} ${exchange.sentAt} to ${exchange.endedAt}, HTTP ${exchange.status ?? exchange.error ?? '?'}`;

/** Formats the state of a delivery as one line. */
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

/** The name of a value, the actual value and the expected value. */
export type Line = readonly [what: string, is: unknown, mustBe: unknown];

export const faultsIn = (lines: readonly Line[]): readonly string[] =>
  lines
    .filter(([, is, mustBe]) => is !== mustBe)
    .map(([what, is, mustBe]) => `${what}: ${String(is)} instead of ${String(mustBe)}`);
