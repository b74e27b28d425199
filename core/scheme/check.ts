/**
 * Whether a scheme hangs together, as a person of the field would look at it: references, identifiers, addresses,
 * accounts, fees. A change may leave no error that was not there before.
 */
import type { WebAddressPolicy } from '../deliveries/web-address.ts';
import { checkCorridors, checkFees, checkLimits, checkNumbers, checkPrices } from './check-money.ts';
import {
  checkAccounts,
  checkClients,
  checkInstitutions,
  checkOperators,
  checkSystems,
} from './check-parties.ts';
import { checkAddresses } from './check-addresses.ts';
import { edited, isCredentialOfAnother, type SchemeEdit } from './change.ts';
import type { Scheme } from './documents.ts';
import { findingsOf, type Finding } from './finding.ts';

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

/** How the scheme is kept. */
export interface SchemePolicy extends WebAddressPolicy {
  /** false: nobody needs to approve anything, for demos. */
  readonly fourEyes: boolean;
}

/**
 * What a change brings with it: findings that there were not before.
 * @param policy with whoever proposes it
 */
export function checkEdits(
  scheme: Scheme,
  edits: readonly SchemeEdit[],
  policy: SchemePolicy & { readonly by: string },
): readonly Finding[] {
  const keyOf = ({ kind, id, path, says }: Finding) => [kind, id, path, says].join('\n');
  const known = new Set(checkScheme(scheme, policy).map(keyOf));
  const touched = new Set(edits.map(({ kind, id }) => `${kind} ${id}`));
  const found = checkScheme(edited(scheme, edits), policy).filter((one) => !known.has(keyOf(one)));
  return [
    ...(policy.fourEyes ? checkCredentials(edits, policy.by) : []),
    ...checkPricesTouched(edits),
    ...found.map((one) => stillThere(one, touched)),
  ];
}

/**
 * What a change does not touch, and is in nobody's way: the client of a payment system that ends, which may go on to
 * report on payments under way, and rates in a corridor that is given up.
 */
function stillThere(finding: Finding, touched: ReadonlySet<string>): Finding {
  const { kind, id, path } = finding;
  const isClient = kind === 'clients' && path === '/clearingSystemId';
  if ((!isClient && kind !== 'fx-prices') || touched.has(`${kind} ${id}`)) return finding;
  const says = isClient
    ? 'stays, so that it can report on payments under way. End it when there are none.'
    : 'stays, and makes no quote any more.';
  return { ...finding, severity: 'warning', says };
}

/** What an operator logs in by is made by that operator, or beside the api by whoever has the database. */
function checkCredentials(edits: readonly SchemeEdit[], by: string): readonly Finding[] {
  return edits
    .filter((edit) => isCredentialOfAnother(edit, by))
    .map(({ kind, id }) =>
      findingsOf(kind, id).error(
        '',
        `is an operator's client: only ${id} may change it, and only its secrets (POST /admin/clients/${id}/secrets). ` +
          'Enter a new operator without secrets; whoever has the database then gives it the first one: admin first-operators.',
      ),
    );
}

/** Prices that an FX provider has are its own. */
function checkPricesTouched(edits: readonly SchemeEdit[]): readonly Finding[] {
  return edits
    .filter(({ kind, before }) => kind === 'fx-prices' && before !== null)
    .map(({ kind, id }) =>
      findingsOf(kind, id).error(
        '',
        'has prices of its own, which only it changes: POST /api/v1/rates (FX-4).',
      ),
    );
}
