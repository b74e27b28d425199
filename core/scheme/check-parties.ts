/**
 * Checks operators, payment systems, institutions, accounts and clients for faults that an expert would
 * notice. check.ts runs these checks before a change takes effect, together with those of check-money.ts.
 */
import { refuseEndpoint, refuseNotificationAddress, refuseOrigin } from '../deliveries/callback-address.ts';
import { accountFault } from '../payments/iban.ts';
import { canonicalId, isValidLei } from '../ids.ts';
import type { WebAddressPolicy } from '../deliveries/web-address.ts';
import { privateMember, type InstitutionDocument, type PublicKeyDocument, type Scheme } from './documents.ts';
import { findingsOf, repeated, systemsFor, unknown, type Finding, type Findings } from './finding.ts';

export function* checkOperators(scheme: Scheme, policy: WebAddressPolicy): Iterable<Finding> {
  for (const [id, { endpointUrl, callbackOrigins, publicKeys, signsMessages }] of scheme.operators) {
    const found = findingsOf('operators', id);
    const refusal = refuseEndpoint(endpointUrl, policy);
    if (refusal !== undefined) yield found.error('/endpointUrl', refusal);
    for (const [place, origin] of callbackOrigins.entries()) {
      const why = refuseOrigin(origin, policy);
      if (why !== undefined) yield found.error(`/callbackOrigins/${place}`, why);
    }
    yield* checkKeys(found, publicKeys);
    if (signsMessages && publicKeys.length === 0) {
      yield found.error(
        '/signsMessages',
        'is true, but there is no public key: every message that it sends would be refused.',
      );
    }
  }
  const keys = [...scheme.operators, ...scheme.institutions].flatMap(([id, { publicKeys }]) =>
    publicKeys.map(({ keyId }) => ({ id, keyId, isOperator: scheme.operators.has(id) })),
  );
  for (const [first, ...others] of repeated(keys, ({ keyId }) => keyId)) {
    for (const { id, keyId, isOperator } of others) {
      const found = findingsOf(isOperator ? 'operators' : 'institutions', id);
      const says = first?.id === id ? 'twice' : `which ${first?.id ?? ''} has, too`;
      yield found.error('/publicKeys', `has the key id ${keyId}, ${says}.`);
    }
  }
}

function* checkKeys(found: Findings, keys: readonly PublicKeyDocument[]): Iterable<Finding> {
  for (const [place, { jwk, validFrom, validUntil }] of keys.entries()) {
    const path = `/publicKeys/${place}`;
    const secret = privateMember(jwk);
    if (secret !== undefined) yield found.error(`${path}/jwk`, `${secret}.`);
    if (validUntil !== null && Date.parse(validUntil) <= Date.parse(validFrom)) {
      yield found.error(`${path}/validUntil`, 'is not after validFrom.');
    }
  }
}

export function* checkSystems(scheme: Scheme, policy: WebAddressPolicy): Iterable<Finding> {
  for (const [id, system] of scheme['clearing-systems']) {
    const found = findingsOf('clearing-systems', id);
    const { operatorId, currencyCode, countryCodes, bookEndpointUrl } = system;
    if (!scheme.operators.has(operatorId)) yield found.error('/operatorId', unknown('operator', operatorId));
    if (!scheme.currencies.has(currencyCode))
      yield found.error('/currencyCode', unknown('currency', currencyCode));
    for (const [place, country] of countryCodes.entries()) {
      if (!scheme.countries.has(country))
        yield found.error(`/countryCodes/${place}`, unknown('country', country));
    }
    yield* checkBookEndpoint(found, bookEndpointUrl, policy);
  }
}

function* checkBookEndpoint(
  found: Findings,
  url: string | null,
  policy: WebAddressPolicy,
): Iterable<Finding> {
  const refusal = url === null ? undefined : refuseEndpoint(url, policy);
  if (refusal !== undefined) yield found.error('/bookEndpointUrl', refusal);
}

export function* checkInstitutions(scheme: Scheme, policy: WebAddressPolicy): Iterable<Finding> {
  for (const [id, institution] of scheme.institutions) {
    const found = findingsOf('institutions', id);
    const { countryCode, lei, notificationUrl } = institution;
    if (!scheme.countries.has(countryCode))
      yield found.error('/countryCode', unknown('country', countryCode));
    if (lei !== null && !isValidLei(lei)) {
      yield found.error('/lei', `is not an LEI: its check digits do not fit (ISO 17442, mod 97-10).`);
    }
    const refusal = notificationUrl === null ? undefined : refuseNotificationAddress(notificationUrl, policy);
    if (refusal !== undefined) yield found.error('/notificationUrl', refusal);
    yield* checkBookEndpoint(found, institution.bookEndpointUrl, policy);
    yield* checkKeys(found, institution.publicKeys);
    yield* checkMemberships(scheme, institution, found);
  }
  yield* checkIdentifiers(scheme);
}

function* checkMemberships(
  scheme: Scheme,
  { memberships }: InstitutionDocument,
  found: Findings,
): Iterable<Finding> {
  const served = memberships.flatMap(({ clearingSystemId }, place) => {
    const system = scheme['clearing-systems'].get(clearingSystemId);
    return (system?.countryCodes ?? []).map((country) => ({ country, place, system }));
  });
  for (const [place, { clearingSystemId }] of memberships.entries()) {
    if (!scheme['clearing-systems'].has(clearingSystemId)) {
      yield found.error(
        `/memberships/${place}/clearingSystemId`,
        unknown('payment system', clearingSystemId),
      );
    }
  }
  for (const [first, second] of repeated(
    served,
    ({ country, system }) => `${country} ${system?.currencyCode ?? ''}`,
  )) {
    const names = [first, second].map((one) => one?.system?.clearingSystemId ?? '').join(' and ');
    const where = `${first?.country ?? ''} in ${first?.system?.currencyCode ?? ''}`;
    yield found.error(
      `/memberships/${second?.place ?? 0}`,
      `overlaps: ${names} both serve ${where}, so it is unclear which one its payments use. Keep one.`,
    );
  }
}

/** Each identifier may belong to only one institution, and each member id to one within a payment system. */
function* checkIdentifiers({ institutions }: Scheme): Iterable<Finding> {
  const all = [...institutions].flatMap(([id, { bics, lei, otherIds, memberships }]) => [
    ...bics.map((bic, place) => ({ id, path: `/bics/${place}`, key: `BIC ${canonicalId('BICFI', bic)}` })),
    ...(lei === null ? [] : [{ id, path: '/lei', key: `LEI ${lei}` }]),
    ...otherIds.map((other, place) => ({ id, path: `/otherIds/${place}`, key: `other id ${other}` })),
    ...memberships.map(({ clearingSystemId, memberId }, place) => ({
      id,
      path: `/memberships/${place}/memberId`,
      key: `member id ${memberId} of ${clearingSystemId}`,
    })),
  ]);
  for (const [first, ...others] of repeated(all, ({ key }) => key)) {
    for (const { id, path, key } of others) {
      const whose = first?.id === id ? 'is listed twice' : `belongs to ${first?.id ?? ''}, too`;
      yield findingsOf('institutions', id).error(
        path,
        `the ${key} ${whose}. Only one institution may have it.`,
      );
    }
  }
}

export function* checkAccounts(scheme: Scheme): Iterable<Finding> {
  for (const [id, account] of scheme['settlement-accounts']) {
    const found = findingsOf('settlement-accounts', id);
    const { sapId, ownerId, countryCode, currencyCode, accountId } = account;
    const sap = scheme.institutions.get(sapId);
    if (sap === undefined) yield found.error('/sapId', unknown('institution', sapId));
    else if (!sap.roles.includes('sap'))
      yield found.error('/sapId', `names ${sapId}, which has not the role sap.`);
    if (!scheme.institutions.has(ownerId)) yield found.error('/ownerId', unknown('institution', ownerId));
    if (systemsFor(scheme, countryCode, currencyCode).length === 0) {
      yield found.error(
        '/currencyCode',
        `is ${currencyCode}, but no payment system serves ${countryCode} in it.`,
      );
    }
    const fault = accountFault(accountId);
    if (fault !== undefined)
      yield found.error('/accountId', `looks like an IBAN and is none: ${fault} (ISO 13616).`);
  }
  const accounts = scheme['settlement-accounts'];
  for (const [first, ...others] of repeated(
    accounts,
    ([, one]) => `${one.ownerId} ${one.sapId} ${one.currencyCode}`,
  )) {
    for (const [id, { ownerId, sapId, currencyCode }] of others) {
      const says = `${ownerId} already has ${first?.[1].accountId ?? ''} at ${sapId} in ${currencyCode}: one account per currency.`;
      yield findingsOf('settlement-accounts', id).error('/ownerId', says);
    }
  }
}

export function* checkClients(scheme: Scheme): Iterable<Finding> {
  for (const [id, { role, institutionId, clearingSystemId }] of scheme.clients) {
    const found = findingsOf('clients', id);
    const speaksFor = { psp: 'institution', fxp: 'institution', ipso: 'payment system', operator: undefined }[
      role
    ];
    if ((speaksFor === 'institution') !== (institutionId !== null)) {
      yield found.error(
        '/institutionId',
        `must ${speaksFor === 'institution' ? 'name whom it speaks for' : 'be null'}: the role is ${role}.`,
      );
    }
    if ((speaksFor === 'payment system') !== (clearingSystemId !== null)) {
      yield found.error(
        '/clearingSystemId',
        `must ${speaksFor === 'payment system' ? 'name whom it speaks for' : 'be null'}: the role is ${role}.`,
      );
    }
    const institution = institutionId === null ? undefined : scheme.institutions.get(institutionId);
    if (institutionId !== null && institution === undefined) {
      yield found.error('/institutionId', unknown('institution', institutionId));
    } else if (institution?.roles.every((one) => one !== role) === true) {
      yield found.error('/institutionId', `names ${institutionId ?? ''}, which has not the role ${role}.`);
    }
    if (clearingSystemId !== null && !scheme['clearing-systems'].has(clearingSystemId)) {
      yield found.error('/clearingSystemId', unknown('payment system', clearingSystemId));
    }
  }
}
