// Finds the party that an operator names in a filter, by any of its identifiers. An unknown name is refused,
// because an empty list would hide a typing error.
import { partyNamed, type NamedParty, type ReferenceData } from '../../core/scheme/reference.ts';
import { invalidRequest, type Problem } from '../http/problems/problem.ts';

/** The place of the name in the request. */
type WhereNamed = { readonly parameter: 'party' } | { readonly pointer: '/party' };

/** @returns undefined if no party was named */
export function partyAsked(
  data: ReferenceData,
  name: string | undefined,
  where: WhereNamed,
): NamedParty | undefined | Problem {
  if (name === undefined) return undefined;
  const detail = `${name} is neither a payment system nor the BIC or internalId of an institution of the service`;
  return partyNamed(data, name) ?? invalidRequest([{ ...where, detail }]);
}
