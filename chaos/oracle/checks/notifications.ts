// NOT-1 and NOT-2: each credited payment with a quote has one fxtr.017, with the figures of the quote (I-5).
import { same } from '../decimals.ts';
import { at, textAt, type Element } from '../read-message.ts';
import type { Report } from '../verdict.ts';
import type { Payment, World } from '../world.ts';
import { isTakenByOthers } from './deliveries.ts';
import { faultsIn, received, standingOf } from './lines.ts';

export function judgeNotifications(world: World, report: Report): void {
  const { payments } = world;
  const due = payments.filter(({ row, decision }) => row.quote_id !== null && decision?.status === 'ACCC');
  report.examined('I-5', 'credited payments with a quote', due.length);
  report.examined('I-5', 'other payments', payments.length - due.length);
  for (const payment of payments) judgeNotification(world, report, payment);
}

/**
 * NOT-1, NOT-2: checks that the FX provider gets an fxtr.017 if and only if a payment with its quote is
 * credited.
 */
function judgeNotification(world: World, report: Report, payment: Payment): void {
  const { uetr, decision, row } = payment;
  const arrivals = received(payment, 'fxp', 'fxtr017');
  const stored = world.messages.filter(
    (one) => one.row.message_type === 'fxtr017' && one.row.subject_id === uetr,
  );
  const delivery = payment.deliveries['notification'];
  const mustBe = decision?.status === 'ACCC' && row.quote_id !== null;
  const shown = [decision, ...(delivery === undefined ? [] : [standingOf(delivery)]), ...arrivals];
  if (!mustBe) {
    if (arrivals.length > 0 || stored.length > 0 || delivery !== undefined) {
      report.breach(
        'I-5',
        'An fxtr.017 was made of a payment that is not credited, or has no quote.',
        uetr,
        shown,
      );
    }
    return;
  }
  if (delivery === undefined || stored.length === 0) {
    report.breach(
      'I-5',
      'A payment with a quote was credited, and no fxtr.017 tells the FX provider.',
      uetr,
      shown,
    );
    return;
  }
  if (stored.length > 1 || new Set(arrivals.map(({ sha256 }) => sha256)).size > 1) {
    report.breach('I-5', 'There is more than one distinct fxtr.017 of one payment.', uetr, shown);
  }
  const bic = world.reference.institutions.get(row.fxp_id ?? '')?.bics[0] ?? '';
  const elsewhere = arrivals.find(({ party }) => party !== `fxp/${bic}`);
  if (elsewhere !== undefined)
    report.breach('I-5', "An fxtr.017 went to an FX provider that is not the quote's.", uetr, [elsewhere]);
  const isTaken = arrivals.some(({ httpStatus }) => httpStatus === 200) || isTakenByOthers(world, delivery);
  if (delivery.deliveredAt !== undefined && !isTaken) {
    report.breach('I-5', 'An fxtr.017 counts as delivered, and the FX provider never took it.', uetr, shown);
  }
  for (const one of stored) judgeFigures(world, report, payment, one.message?.root);
}

/** Checks that the elements named by NOT-2 contain the figures of the quote. */
function judgeFigures(world: World, report: Report, payment: Payment, root: Element | undefined): void {
  const quoteId = textAt(payment.original, 'CdtTrfTxInf/AgrdRate/QtId') ?? '';
  const quote = world.quotes.get(quoteId);
  if (root === undefined || quote === undefined) {
    const statement = 'An fxtr.017 cannot be read, or is of a quote that does not exist.';
    report.breach('I-5', statement, payment.uetr, [quoteId]);
    return;
  }
  const { request, index } = quote;
  const currency = (path: string) => at(root, path)?.attributes['Ccy'];
  const account = (side: string) => textAt(root, `${side}/PtyId/AcctNb`);
  const figures = [
    ['TradgSdBuyAmt', textAt(root, 'TradAmts/TradgSdBuyAmt/Amt'), request.destination_amounts[index]],
    ['TradgSdSellAmt', textAt(root, 'TradAmts/TradgSdSellAmt/Amt'), request.source_amounts[index]],
    ['AgrdRate/XchgRate', textAt(root, 'AgrdRate/XchgRate'), request.exchange_rates[index]],
  ] as const;
  const wrong = [
    ...figures
      .filter(([, is, mustBe]) => !same(is, mustBe))
      .map(([path, is, mustBe]) => `${path}: ${String(is)} instead of ${String(mustBe)}`),
    ...faultsIn([
      ['TradInf/OrgtrRef', textAt(root, 'TradInf/OrgtrRef'), payment.uetr.replaceAll('-', '')],
      ['TradInf/CmonRef', textAt(root, 'TradInf/CmonRef'), quoteId.replaceAll('-', '')],
      ['TradgSdBuyAmt/@Ccy', currency('TradAmts/TradgSdBuyAmt/Amt'), request.destination_currency],
      ['TradgSdSellAmt/@Ccy', currency('TradAmts/TradgSdSellAmt/Amt'), request.source_currency],
      ['account bought to', account('TradgSdSttlmInstrs/DlvryAgt'), request.destination_account_ids[index]],
      ['account sold from', account('CtrPtySdSttlmInstrs/RcvgAgt'), request.source_account_ids[index]],
    ]),
  ];
  if (wrong.length === 0) return;
  report.breach('I-5', "The figures of an fxtr.017 are not the quote's (NOT-2).", payment.uetr, wrong);
}
