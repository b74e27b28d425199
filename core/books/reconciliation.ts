/**
 * The books of a period (REC-1, REC-2). A book lists the payments that were decided in the period, with their totals.
 * It belongs to a payment system, or to an account at a settlement access provider. A period is closed shortly after
 * its end; its books never change after that.
 */
import type {
  Camt054,
  Camt054Entry,
  Counted,
  Direction,
  NetAmount,
  NumberAndSum,
} from '../iso20022/camt054.ts';
import { assert } from '../assert.ts';
import { compact } from '../compact.ts';
import { exact, plainDecimal, renderDecimal, type Exact } from '../money/money.ts';
import { identifyAgent } from '../payments/agent.ts';
import type { BookedAccount, ReferenceData } from '../scheme/reference.ts';
import { finalStatuses, isFinal } from '../payments/report.ts';
import type { Decider } from '../payments/decision.ts';

/** Identifies a book: of a payment system, or of an account at a settlement access provider. */
export type Book =
  | { readonly of: 'clearing-system'; readonly clearingSystemId: string; readonly currency: string }
  | { readonly of: 'account'; readonly sapId: string; readonly accountId: string; readonly currency: string };

/** `from` is inclusive, `to` exclusive. */
export interface Period {
  readonly from: Date;
  readonly to: Date;
}

export const dayMs = 86_400_000;

/** The start of the UTC day that contains `atMs`. Both in epoch milliseconds. */
export const startOfDay = (atMs: number): number => Math.floor(atMs / dayMs) * dayMs;
export const dayFrom = (from: Date): Period => ({ from, to: new Date(from.getTime() + dayMs) });

export const longestDays = 31;
/** A period closes this long after its end. By then all its decisions are stored, which takes seconds. */
export const closedAfterMs = 60_000;

/** The clearing system id, or the account id. */
export const nameOf = (book: Book) =>
  book.of === 'clearing-system' ? book.clearingSystemId : book.accountId;

/** Whether the money of a payment leaves the book's owner or reaches it. */
export type Side = 'out' | 'in';

/** One payment in a book, with its amount in the book's currency. */
export interface Movement {
  readonly uetr: string;
  readonly side: Side;
  readonly status: string;
  readonly reasonCode: string | null;
  /** The rule by which the gateway rejected the payment; null if another party decided. */
  readonly ruleId: string | null;
  readonly decidedBy: Decider;
  readonly decidedAt: Date;
  /**
   * Null if the payment was rejected before its corridor was known. The amounts are null for the same reason.
   */
  readonly corridor: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  /** The amount on the other side of the exchange; null if the reader may not see it. */
  readonly counterAmount: string | null;
  readonly counterCurrency: string | null;
  readonly debtorAgentId: string | null;
  readonly creditorAgentId: string | null;
  readonly fxpId: string | null;
  readonly quoteId: string | null;
  readonly messageIdentification: string | null;
  readonly endToEndId: string | null;
}

/** Number and sum of the movements with the same side, corridor, status and currency. */
export interface Total {
  readonly side: Side;
  readonly corridor: string | null;
  readonly status: string;
  readonly number: number;
  /** Null if the payments were rejected before their amounts were known. */
  readonly sum: string | null;
  readonly currency: string | null;
}

/** Merges the totals of several parts into the totals of the whole book. */
export function addUp(parts: readonly Total[]): readonly Total[] {
  const whole = new Map<string, Total>();
  for (const part of parts) {
    const key = [part.side, part.corridor, part.status, part.currency].map((one) => one ?? '').join(' ');
    const known = whole.get(key);
    const sums = [known?.sum ?? null, part.sum].filter((sum) => sum !== null).map(exact);
    const sum = sums.length === 0 ? null : renderDecimal(sums.reduce((all, one) => all.plus(one)));
    whole.set(key, { ...part, number: (known?.number ?? 0) + part.number, sum });
  }
  return [...whole].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, total]) => total);
}

const onSide = (totals: readonly Total[], side: Side) => totals.filter((one) => one.side === side);
const withStatus = (totals: readonly Total[], status: string) =>
  totals.filter((one) => one.status === status);

/** Incoming minus outgoing amounts. */
const netted = (totals: readonly Total[]): Exact =>
  sumOf(onSide(totals, 'in')).minus(sumOf(onSide(totals, 'out')));

/** The net of the booked movements (ACCC), incoming minus outgoing, as a signed plain decimal. */
export const netOf = (totals: readonly Total[]): string => renderDecimal(netted(withStatus(totals, 'ACCC')));

function sumOf(totals: readonly Total[]): Exact {
  return totals.reduce((sum, one) => (one.sum === null ? sum : sum.plus(exact(one.sum))), exact('0'));
}

export const entriesPerPage = 125; // keeps a page within 256 KiB and 5,000 elements, the limits of any message

const directions = { in: 'CRDT', out: 'DBIT' } as const satisfies Record<Side, Direction>;

/**
 * Names a period in at most 20 characters. A whole day is `20261121`; another period is its start and end
 * with hours and minutes.
 */
export function periodName({ from, to }: Period): string {
  const compactTime = (at: Date) => at.toISOString().slice(0, 16).replaceAll(/[-:T]/g, '');
  const isDay = to.getTime() - from.getTime() === dayMs && compactTime(from).endsWith('0000');
  return isDay ? compactTime(from).slice(0, 8) : `${compactTime(from).slice(2)}${compactTime(to).slice(2)}`;
}

/** The contents of one page of a camt.054. They never change once the period is closed. */
export function camt054Of(
  {
    book,
    period,
    totals,
    page,
    pages,
    id,
    data,
  }: {
    readonly book: Book;
    readonly period: Period;
    /** Totals over all pages. */
    readonly totals: readonly Total[];
    /** Counts from 1. */
    readonly page: number;
    readonly pages: number;
    /** Id of the notification, at most 29 characters, unique to this book and period. */
    readonly id: string;
    readonly data: ReferenceData;
  },
  movements: readonly Movement[],
): Camt054 {
  assert(
    totals.every(({ currency }) => currency === book.currency),
    'all totals of a book are in its currency',
  );
  const sap = book.of === 'account' ? data.institutions.get(book.sapId) : undefined;
  return compact<Camt054>({
    messageIdentification: `${id}.${page}`,
    id,
    page,
    isLastPage: page >= pages,
    from: period.from.toISOString(),
    to: period.to.toISOString(),
    book: nameOf(book),
    currency: book.currency,
    servicer: sap && identifyAgent(sap),
    ...countedBySide(totals),
    byStatus: finalStatuses
      .map((status) => ({ status, some: withStatus(totals, status) }))
      .filter(({ status, some }) => status === 'ACCC' || some.length > 0)
      .map(({ status, some }) => ({ status, ...countedBySide(some), net: directedNet(some) })),
    entries: movements.map((one, index) => entryOf(one, (page - 1) * entriesPerPage + index + 1, data)),
  });
}

const counted = (totals: readonly Total[]): NumberAndSum => ({
  number: totals.reduce((number, one) => number + one.number, 0),
  sum: renderDecimal(sumOf(totals)),
});
const countedBySide = (totals: readonly Total[]): Counted => ({
  all: counted(totals),
  credits: counted(onSide(totals, 'in')),
  debits: counted(onSide(totals, 'out')),
});

function directedNet(totals: readonly Total[]): NetAmount {
  const net = netted(totals);
  return { amount: renderDecimal(net.abs()), direction: net.lt(exact('0')) ? 'DBIT' : 'CRDT' };
}

function entryOf(movement: Movement, reference: number, data: ReferenceData): Camt054Entry {
  const agent = (id: string | null) => {
    assert(id !== null, 'the agents of a payment that was accepted are on record');
    const institution = data.institutions.get(id);
    return institution === undefined ? { otherId: id } : identifyAgent(institution);
  };
  const { status, amount, currency, messageIdentification, endToEndId } = movement;
  const { counterAmount, counterCurrency } = movement;
  assert(isFinal(status), 'only a final status is decided');
  assert(
    amount !== null && currency !== null && messageIdentification !== null && endToEndId !== null,
    'the terms of a payment that was accepted are on record',
  );
  return compact<Camt054Entry>({
    reference,
    amount: { amount: plainDecimal(amount), currency },
    direction: directions[movement.side],
    status,
    reasonCode: movement.reasonCode ?? undefined,
    ruleId: movement.ruleId ?? undefined,
    decidedAt: movement.decidedAt.toISOString(),
    messageIdentification,
    endToEndId,
    uetr: movement.uetr,
    counterAmount:
      counterAmount === null || counterCurrency === null
        ? undefined
        : { amount: plainDecimal(counterAmount), currency: counterCurrency },
    debtorAgent: agent(movement.debtorAgentId),
    creditorAgent: agent(movement.creditorAgentId),
  });
}

/** The book of an account, in the currency of its owner at `from`. It works for removed accounts too. */
export function accountBook({ sapId, accountId, owners }: BookedAccount, from: Date): Book {
  const owner = owners.find(({ until }) => until === null || from < until) ?? owners.at(-1);
  assert(owner !== undefined, 'an account has, or had, an owner');
  return { of: 'account', sapId, accountId, currency: owner.currencyCode };
}
