// The party that a list, the alerts or a redelivery is limited to, by whichever of its identifiers an operator types.
// One that does not exist is refused: "nothing" would be a wrong answer to a name that was mistyped.
import { partyNamed, type NamedParty, type ReferenceData } from '../../core/scheme/reference.ts';
import { invalidRequest, type Problem } from '../http/problem.ts';

/** Where the name stands in the request. */
type WhereNamed = { readonly parameter: 'party' } | { readonly pointer: '/party' };

/** @returns undefined where none was asked for */
export function partyAsked(
  data: ReferenceData,
  name: string | undefined,
  where: WhereNamed,
): NamedParty | undefined | Problem {
  if (name === undefined) return undefined;
  const detail = `${name} is neither a payment system nor the BIC or internalId of an institution of the service`;
  return partyNamed(data, name) ?? invalidRequest([{ ...where, detail }]);
}
