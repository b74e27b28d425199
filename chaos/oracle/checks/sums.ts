// I-6 and I-9: each quote pays for one payment, and all records agree on the sums of the payments.
import { amount, halfUp, total, type Amount } from '../decimals.ts';
import { at, named, textAt, type Element } from '../read-message.ts';
import { clock, rowsOf } from '../rows.ts';
import type { Report } from '../verdict.ts';
import { grouped, type Payment, type World } from '../world.ts';
import { movementsOf } from './destination.ts';

const validMs = 600_000; // QUO-6: validity of a quote
const lockMs = 5_000; // an SQL statement may have waited this long for a lock

/** I-6: checks the use of each quote. */
export function judgeQuoteUses(world: World, report: Report): void {
  const accepted = world.payments.filter(({ row }) => row.accepted);
  const withQuote = accepted.filter((payment) => quoteIdOf(payment) !== undefined);
  report.examined('I-6', 'payments with a quote', withQuote.length);
  for (const [quoteId, payments] of grouped(withQuote, (one) => quoteIdOf(one) ?? ''))
    judgeQuote(world, report, quoteId, payments);
  judgeUses(world, report, accepted);
}

/** Returns the quote id in the source's message. */
function quoteIdOf({ original }: Payment): string | undefined {
  return textAt(original, 'CdtTrfTxInf/AgrdRate/QtId');
}

/** Returns the start and end of the time during which a payment holds its quote (QUO-8). */
function heldOf({ judgedAt, decision, decidedAt }: Payment): readonly [number, number] {
  return [judgedAt, decision?.status === 'RJCT' ? (decidedAt ?? Infinity) : Infinity];
}

function judgeQuote(world: World, report: Report, quoteId: string, payments: readonly Payment[]): void {
  const quote = world.quotes.get(quoteId);
  const shown = payments.map(
    (one) =>
      `${one.uetr} accepted ${clock(one.judgedAt)}, ${one.decision?.status ?? 'undecided'} ${one.row.debtor_agent_id ?? ''}`,
  );
  if (quote === undefined) {
    report.breach(
      'I-6',
      'A payment was accepted with a quote that does not exist.',
      payments[0]?.uetr ?? '',
      shown,
    );
    return;
  }
  const sorted = [...payments].sort((one, other) => one.judgedAt - other.judgedAt);
  for (const [index, payment] of sorted.entries()) {
    const next = sorted[index + 1];
    if (next === undefined) break;
    if (next.judgedAt < heldOf(payment)[1] - lockMs) {
      report.breach('I-6', 'One quote carries two payments that were not rejected (QUO-8).', next.uetr, [
        `quote ${quoteId}`,
        ...shown,
      ]);
    }
  }
  for (const payment of payments) {
    const { uetr, judgedAt, submission } = payment;
    const psp = world.reference.find(at(payment.original, 'CdtTrfTxInf/DbtrAgt'));
    if (psp?.id !== quote.request.psp_id) {
      const whose = `quote of ${quote.request.psp_id}, debtor agent ${psp?.id ?? 'unknown'}`;
      report.breach('I-6', 'A payment was accepted with a quote of another PSP.', uetr, [whose, ...shown]);
    }
    const expiresAt = quote.issuedAt + validMs;
    const cameAt = submission?.createdAt ?? judgedAt;
    if (
      cameAt > expiresAt ||
      (judgedAt > expiresAt + 50 && world.quiet.isCalm([], expiresAt - 30_000, judgedAt))
    ) {
      report.breach('I-6', 'A payment was accepted after its quote had expired (QUO-6).', uetr, [
        `issued ${clock(quote.issuedAt)}`,
        ...shown,
      ]);
    }
  }
}

/** Checks the rows of quote_uses, which reserve a quote for one payment (QUO-8). */
function judgeUses(world: World, report: Report, accepted: readonly Payment[]): void {
  const uses = rowsOf(world.evidence.tables, 'quote_uses');
  report.examined('I-6', 'quotes in use', uses.length);
  const holder = new Map(uses.map((row) => [row.uetr, row.quote_id]));
  for (const payment of accepted) {
    const quoteId = quoteIdOf(payment);
    const isHeld = quoteId !== undefined && payment.decision?.status !== 'RJCT';
    const held = holder.get(payment.uetr);
    if (isHeld && held !== quoteId) {
      report.breach('I-6', 'A payment has a quote that others may use too (QUO-8).', payment.uetr, [
        `quote ${quoteId}`,
        `held: ${held ?? 'none'}`,
      ]);
    } else if (!isHeld && held !== undefined) {
      report.breach(
        'I-6',
        'A rejected payment keeps its quote from being used again (QUO-8).',
        payment.uetr,
        [`quote ${held}`],
      );
    }
  }
}

/** Computes the same amount of a payment from each record that contains it. The keys name the records. */
type Column = Readonly<Record<string, (payment: Payment, world: World) => Amount | undefined>>;

const settlementOf = (element: Element | undefined) => amount(textAt(element, 'CdtTrfTxInf/IntrBkSttlmAmt'));
const feeOf = (element: Element | undefined) =>
  amount(textAt(named(at(element, 'CdtTrfTxInf'), 'ChrgsInf')[1], 'Amt'));
const notificationOf = ({ messages }: World, { uetr }: Payment, path: string) =>
  total(
    messages
      .filter(({ row }) => row.message_type === 'fxtr017' && row.subject_id === uetr)
      .map(({ message }) => amount(textAt(message?.root, path))),
  );

/**
 * The amounts whose sums must be equal in all records. A function returns undefined if its record does not
 * contain the payment.
 */
const columns: Readonly<Record<string, Column>> = {
  'source amounts': {
    'pacs.008 of the sources': ({ original }) => settlementOf(original),
    payments: ({ row }) => amount(row.source_amount),
    'fxtr.017': (payment, world) =>
      quoteIdOf(payment) === undefined
        ? settlementOf(payment.original)
        : notificationOf(world, payment, 'TradAmts/TradgSdSellAmt/Amt'),
  },
  'destination amounts': {
    'quotes and rates': (payment, world) => destinationAmountOf(payment, world),
    'forwarded pacs.008': ({ forwarded }) => settlementOf(forwarded?.message?.root),
    payments: ({ row }) => amount(row.destination_amount),
    'fxtr.017': (payment, world) =>
      quoteIdOf(payment) === undefined
        ? destinationAmountOf(payment, world)
        : notificationOf(world, payment, 'TradAmts/TradgSdBuyAmt/Amt'),
    'ledgers of the destinations': (payment, world) =>
      world.reportedByOthers.has(payment.uetr)
        ? settlementOf(payment.forwarded?.message?.root)
        : ledgerOf(payment, 'amount'),
  },
  'creditor agent fees': {
    'pacs.008 of the sources': ({ original }) => feeOf(original),
    'forwarded pacs.008': ({ forwarded }) => feeOf(forwarded?.message?.root),
    payments: ({ row }) => amount(row.creditor_agent_fee),
    'ledgers of the destinations': (payment, world) =>
      world.reportedByOthers.has(payment.uetr)
        ? feeOf(payment.original)
        : ledgerOf(payment, 'amount').minus(ledgerOf(payment, 'creditedAmount')),
  },
};

function destinationAmountOf(payment: Payment, { quotes, reference }: World): Amount {
  const quote = quotes.get(quoteIdOf(payment) ?? '');
  if (quote !== undefined) return amount(quote.request.destination_amounts[quote.index]);
  const rate = amount(textAt(payment.original, 'CdtTrfTxInf/AgrdRate/PreAgrdXchgRate'));
  const currency = textAt(payment.original, 'CdtTrfTxInf/AgrdRate/QtdCcy') ?? '';
  return halfUp(settlementOf(payment.original).times(rate), reference.decimals.get(currency) ?? 2); // MSG-10, MON-3
}

function ledgerOf(payment: Payment, field: 'amount' | 'creditedAmount'): Amount {
  const { moved, reversed } = movementsOf(payment);
  return total(moved.map((entry) => amount(entry[field]))).minus(
    total(reversed.map((entry) => amount(entry[field]))),
  );
}

/** I-9: compares the sums of all credited payments for each corridor and FX provider. */
export function judgeSums(world: World, report: Report): void {
  const credited = world.payments.filter(({ decision, row }) => decision?.status === 'ACCC' && row.accepted);
  const groups = grouped(
    credited,
    ({ row }) => `${row.source_currency ?? ''}-${row.destination_currency ?? ''} ${row.fxp_id ?? 'own FX'}`,
  );
  report.examined('I-9', 'corridors and FX providers', groups.size);
  report.examined('I-9', 'credited payments', credited.length);
  for (const [group, payments] of groups) {
    for (const [name, column] of Object.entries(columns)) {
      const sums = Object.entries(column).map(
        ([who, value]) => [who, total(payments.map((one) => value(one, world) ?? amount('0')))] as const,
      );
      const first = sums[0]?.[1];
      if (first === undefined || sums.every(([, sum]) => sum.eq(first))) continue;
      const culprits = payments.filter((payment) => {
        const values = Object.values(column).map((value) => value(payment, world));
        return values.some((value) => value !== undefined && values[0] !== undefined && !value.eq(values[0]));
      });
      report.breach('I-9', `The sums of ${name} differ in ${group}.`, culprits[0]?.uetr ?? group, [
        ...sums.map(([who, sum]) => `${who}: ${sum.toFixed()}`),
        ...culprits.map(({ uetr }) => uetr),
      ]);
    }
  }
}
