/**
 * Whether a scheme hangs together, as a person of the field would look at it (ADM-1): references, identifiers, addresses,
 * accounts, fees. A change may leave no error that was not there before.
 */
import type { WebAddressPolicy } from '../web-address.ts';
import { checkCorridors, checkFees, checkLimits, checkNumbers, checkPrices } from './check-money.ts';
import {
  checkAccounts,
  checkClients,
  checkInstitutions,
  checkOperators,
  checkSystems,
} from './check-parties.ts';
import { checkAddresses } from './check-addresses.ts';
import { edited, type SchemeEdit } from './change.ts';
import type { Scheme } from './documents.ts';
import type { Finding } from './finding.ts';

/**
 * Everything that is wrong or worth knowing.
 * @internal exported for tests
 */
export function checkScheme(scheme: Scheme, policy: WebAddressPolicy): readonly Finding[] {
  return [
    ...checkNumbers(scheme),
    ...checkOperators(scheme, policy),
    ...checkSystems(scheme, policy),
    ...checkLimits(scheme),
    ...checkAddresses(scheme),
    ...checkInstitutions(scheme, policy),
    ...checkCorridors(scheme),
    ...checkAccounts(scheme),
    ...checkFees(scheme),
    ...checkClients(scheme),
    ...checkPrices(scheme),
  ];
}

/** What a change brings with it: findings that there were not before. */
export function checkEdits(
  scheme: Scheme,
  edits: readonly SchemeEdit[],
  policy: WebAddressPolicy,
): readonly Finding[] {
  const keyOf = ({ kind, id, path, says }: Finding) => [kind, id, path, says].join('\n');
  const known = new Set(checkScheme(scheme, policy).map(keyOf));
  return checkScheme(edited(scheme, edits), policy).filter((one) => !known.has(keyOf(one)));
}
