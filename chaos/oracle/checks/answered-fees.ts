// Endpoint 14: fees and amounts at a rate of the asker's own, without maxima (FEE-3, FEE-4, FEE-6), and whether anything
// is left to pay at all (FEE-5).
import type { Exchange } from '../evidence.ts';
import { faultsOf } from '../compared.ts';
import { termsOf } from '../corridors.ts';
import { amount, type Amount } from '../decimals.ts';
import { feeOn, pairOf } from '../pricing.ts';
import { parseExactly } from '../read-evidence.ts';
import type { Report } from '../verdict.ts';
import type { World } from '../world.ts';

interface Money {
  readonly amount: string;
  readonly currency: string;
}

interface Fees {
  readonly debtorAgent: { readonly interbankSettlementAmount: Money; readonly networkSchemeFee: Money };
  readonly creditorAgent: {
    readonly interbankSettlementAmount: Money;
    readonly chargesAmount: Money;
    readonly creditorAccountAmount: string;
  };
}

/** What the formulas make of a question. */
interface Computed {
  readonly sourceCurrency: string;
  readonly currency: string;
  readonly source: Amount;
  readonly schemeFee: Amount;
  readonly destination: Amount;
  readonly fee: Amount;
  /** FEE-5. */
  readonly isTooSmall: boolean;
}

export function judgeAnsweredFees(world: World, report: Report): void {
  const asked = world.evidence.exchanges.filter(({ path }) => path.startsWith('/fees-and-amounts/'));
  const answered = asked.filter(({ status }) => status === 200);
  const tooSmall = asked.filter(isAnsweredTooSmall);
  report.examined('R:FEE-3', 'answered fees and amounts', answered.length);
  report.examined('R:FEE-5', 'answered fees and amounts', answered.length);
  report.examined('R:FEE-5', 'amounts that were called too small', tooSmall.length);
  for (const { path, responseBody = '' } of answered) {
    const computed = computedOf(world, path);
    if (computed === undefined) continue;
    if (computed.isTooSmall)
      report.breach('R:FEE-5', 'Fees were answered for an amount of which nothing is left to pay.', path, [
        responseBody,
      ]);
    const wrong = feeFaults(computed, parseExactly(responseBody) as Fees);
    if (wrong.length > 0)
      report.breach('R:FEE-3', 'Fees and amounts are not what the formulas make of them.', path, wrong);
  }
  for (const { path } of tooSmall) {
    const { isTooSmall = true, ...computed } = computedOf(world, path) ?? {};
    if (!isTooSmall)
      report.breach('R:FEE-5', 'An amount was called too small, though something of it is left.', path, [
        computed,
      ]);
  }
}

function isAnsweredTooSmall({ status, responseBody = '' }: Exchange): boolean {
  return status === 422 && responseBody.includes('"amount-too-small"');
}

/** Undefined: there is no such corridor. */
function computedOf({ reference }: World, path: string): Computed | undefined {
  const [sourceCountry = '', sourceCurrency = '', country = '', currency = '', given, asked, rate] = path
    .split('/')
    .slice(2);
  const terms = termsOf(reference, {
    source_country: sourceCountry,
    source_currency: sourceCurrency,
    destination_country: country,
    destination_currency: currency,
  });
  if (terms === undefined) return undefined;
  const side = given === sourceCurrency ? 'source' : 'destination';
  const { source, destination } = pairOf(
    { side, amount: amount(asked), withFees: true },
    amount(rate),
    terms,
  );
  const fee = feeOn(destination, terms.creditorAgentFee, terms.destinationPlaces);
  return {
    sourceCurrency,
    currency,
    source,
    schemeFee: feeOn(source, terms.schemeFee, terms.sourcePlaces),
    destination,
    fee,
    isTooSmall: amount(asked).isZero() || source.isZero() || fee.gte(destination),
  };
}

/** Each amount in the currency of its side: the scheme fee is the source's (FEE-1), the charges are not (FEE-2). */
function feeFaults(due: Computed, { debtorAgent, creditorAgent }: Fees): readonly string[] {
  const [paid, settled] = [debtorAgent.interbankSettlementAmount, creditorAgent.interbankSettlementAmount];
  const { networkSchemeFee: invoiced } = debtorAgent;
  const { chargesAmount: charged, creditorAccountAmount: credited } = creditorAgent;
  return faultsOf(
    [
      ['source currency', paid.currency, due.sourceCurrency],
      ['networkSchemeFee currency', invoiced.currency, due.sourceCurrency],
      ['destination currency', settled.currency, due.currency],
      ['chargesAmount currency', charged.currency, due.currency],
    ],
    [
      ['source amount', paid.amount, due.source.toFixed()],
      ['networkSchemeFee', invoiced.amount, due.schemeFee.toFixed()],
      ['destination amount', settled.amount, due.destination.toFixed()],
      ['chargesAmount', charged.amount, due.fee.toFixed()],
      ['creditorAccountAmount', credited, due.destination.minus(due.fee).toFixed()],
    ],
  );
}
