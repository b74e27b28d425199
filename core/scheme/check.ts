/**
 * Checks the consistency of a scheme: references, identifiers, addresses, accounts, fees. A change may not add an
 * error.
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
import type { ClientDocument, Scheme } from './documents.ts';
import { findingsOf, type Finding } from './finding.ts';

/**
 * Finds all errors and warnings.
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

/** The rules for changes of the scheme. */
export interface SchemePolicy extends WebAddressPolicy {
  /** False for demos only: no change then needs approval. */
  readonly fourEyes: boolean;
}

/**
 * Finds the errors and warnings that a change adds.
 * @param policy its `by` is the client id of the proposer
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
 * Turns an error into a warning if it is a harmless consequence of a change elsewhere. The client of an ended
 * payment system may still report on payments under way. Rates in an abandoned corridor make no quotes.
 */
function stillThere(finding: Finding, touched: ReadonlySet<string>): Finding {
  const { kind, id, path } = finding;
  const isClient = kind === 'clients' && path === '/clearingSystemId';
  if ((!isClient && kind !== 'fx-prices') || touched.has(`${kind} ${id}`)) return finding;
  const says = isClient
    ? 'stays, so that it can report on payments under way. End it when there are none.'
    : 'stays, but makes no more quotes.';
  return { ...finding, severity: 'warning', says };
}

/** Only the operator itself may make its credentials; anyone else needs direct access to the database. */
function checkCredentials(edits: readonly SchemeEdit[], by: string): readonly Finding[] {
  return edits
    .filter((edit) => isCredentialOfAnother(edit, by))
    .map(({ kind, id, before }) =>
      findingsOf(kind, id).error(
        '',
        before === null || (before as ClientDocument).role === 'operator'
          ? `is an operator's client: only ${id} may change it, and only its secrets (POST /admin/clients/${id}/secrets). ` +
              'Enter a new operator without secrets; whoever has the database then gives it the first one: admin first-operators.'
          : 'has secrets that others know, so it cannot become an operator. Enter the operator as a client of its own, without secrets.',
      ),
    );
}

/** Only the FX provider itself may change its existing prices. */
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
