/**
 * Resolves a request for quotes at endpoints 12 and 12b. It checks the corridor, the PSP and the amount, in
 * this order. `core/quotes/quote.ts` computes the prices; `api/http/problems/told.ts` turns refusals into
 * texts.
 */
import {
  findRatedCorridor,
  fixAmount,
  type AmountRefusal,
  type CorridorKey,
  type CorridorRefusal,
} from './corridor.ts';
import type { AmountTooSmall } from '../money/fee.ts';
import type { FinInstIdType } from '../ids.ts';
import type { QuoteRequest } from './quote.ts';
import { findInstitution, type Institution, type ReferenceData } from '../scheme/reference.ts';
import { ok, refused, type Result } from '../result.ts';

/** The identifier by which a request names an institution. */
export interface NamedInstitution {
  readonly type: FinInstIdType;
  readonly id: string;
}

/** The values must be well formed. `readQuoteRequest` checks that they exist and fit together. */
export interface AskedQuotes extends CorridorKey {
  readonly amountCurrency: string;
  readonly amount: string;
  readonly psp: NamedInstitution;
  /** The only PSP that the caller may ask for; undefined if the caller may ask for any. */
  readonly onlyFor: { readonly institutionId?: string } | undefined;
}

/** Why the request is refused for this PSP. */
export interface PspRefusal {
  readonly code: 'unknown-psp' | 'not-own-institution' | 'psp-not-of-source-country';
  readonly psp: NamedInstitution;
  readonly sourceCountry: string;
}

export type QuoteRefusal = CorridorRefusal | PspRefusal | AmountRefusal | AmountTooSmall;

/** A request whose corridor, PSP and amount are resolved. */
export interface PspQuoteRequest extends QuoteRequest {
  /** internalId of the requesting PSP. */
  readonly pspId: string;
}

export function readQuoteRequest(
  data: ReferenceData,
  asked: AskedQuotes,
): Result<PspQuoteRequest, QuoteRefusal> {
  const corridor = findRatedCorridor(data, asked);
  if (!corridor.ok) return corridor;
  const psp = findAskingPsp(data, asked);
  if (!psp.ok) return psp;
  const fixed = fixAmount(corridor.value, asked);
  if (!fixed.ok) return fixed;
  return ok({ corridor: corridor.value, pspId: psp.value.institutionId, ...fixed.value });
}

/** Finds the requesting PSP. It must exist, be allowed for the caller, and be in the source country. */
function findAskingPsp(data: ReferenceData, asked: AskedQuotes): Result<Institution, PspRefusal> {
  const { psp, sourceCountry, onlyFor } = asked;
  const no = (code: PspRefusal['code']) => refused({ code, psp, sourceCountry });
  const institution = findInstitution(data, psp.type, psp.id);
  if (institution === undefined) return no('unknown-psp');
  if (onlyFor !== undefined && onlyFor.institutionId !== institution.institutionId) {
    return no('not-own-institution');
  }
  return institution.countryCode === sourceCountry && institution.roles.includes('psp')
    ? ok(institution)
    : no('psp-not-of-source-country');
}
