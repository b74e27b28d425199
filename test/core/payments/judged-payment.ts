// A valid pacs.008 with a quote, and its judgement after changes: for the tests of the business checks.
import type { BoundPayment } from '../../../core/payments/bind-payment.ts';
import type { QuoteId } from '../../../core/ids.ts';
import type { Pacs008 } from '../../../core/iso20022/pacs008.ts';
import { branch } from '../../../core/iso20022/tree.ts';
import { judgePayment, type JudgingContext } from '../../../core/payments/judge-payment.ts';
import type { StoredQuote } from '../../../core/quotes/quote.ts';
import type { Rejection } from '../../../core/rejections/rejection.ts';
import { mapValue, ok, type Result } from '../../../core/result.ts';
import { instruction, ownExchange } from '../../../fixtures/instruction.ts';
import { world } from '../scheme/small-world.ts';

export const now = Date.parse('2026-06-01T12:00:00Z');
const quoteId = '11111111-1111-4111-8111-111111111101' as QuoteId;

export const quote: StoredQuote = {
  quoteId,
  pspId: 'SG-LOTU',
  fxpId: 'SG-MERI',
  rateId: 'rate',
  tierImprovementId: null,
  pspImprovementId: null,
  sourceCountry: 'SG',
  sourceCurrency: 'SGD',
  destinationCountry: 'TH',
  destinationCurrency: 'THB',
  exchangeRate: '25.0000000000',
  sourceInterbankSettlementAmount: '1000.00',
  sourceCappedToMaxAmount: false,
  destinationInterbankSettlementAmount: '25000.00',
  destinationCappedToMaxAmount: false,
  networkSchemeFee: '1.50',
  creditorAgentFee: '100.00',
  sourceSapId: 'SG-HARB',
  sourceAccountId: 'MERI-SG-SGD',
  destinationSapId: 'TH-HARB',
  destinationAccountId: 'MERI-TH-THB',
  issuedAt: now,
  expired: false,
  heldBy: null,
};

export const valid: Pacs008 = {
  ...instruction({ ...ownExchange(), quoteId }, { creationDateTime: new Date(now).toISOString() }),
  acceptanceDateTime: { text: '', epochMs: now },
  header: branch('GrpHdr'),
  transaction: branch('CdtTrfTxInf'),
};

const context: JudgingContext = { reference: world, sourceSystem: 'SGDFAST', now, quote };

export function outcomeOf(
  changes: Partial<Pacs008>,
  around: Partial<JudgingContext> = {},
): Result<BoundPayment, Rejection> {
  const judged = judgePayment(ok({ ...valid, ...changes }), { ...context, ...around });
  return mapValue(judged, ({ payment }) => payment);
}

/** The key of the rejection, or the payment. */
export function judge(
  changes: Partial<Pacs008> = {},
  around: Partial<JudgingContext> = {},
): string | BoundPayment {
  const outcome = outcomeOf(changes, around);
  return outcome.ok ? outcome.value : outcome.refusal.key;
}

export const ownRate = { preAgreedExchangeRate: '25', unitCurrency: 'SGD', quotedCurrency: 'THB' };
export const own: Partial<Pacs008> = {
  agreedRate: ownRate,
  intermediaryAgent2: { bicfi: 'HARBTHS0' },
  intermediaryAgent2Account: { otherId: 'LOTU-TH-THB' },
};

/** The charges, of other agents. */
export const chargesOf = (source: Pacs008['debtorAgent'], destination: Pacs008['creditorAgent']) =>
  [
    { ...valid.charges[0], agent: source },
    { ...valid.charges[1], agent: destination },
  ] as const;
