/**
 * A checklist for an institution or payment system before it goes live, in the order in which a person would do the
 * items. Pure: its input is the scheme's documents, which include the prices of FX providers.
 */
import { lackOf } from './check-money.ts';
import type { ClearingSystemDocument, InstitutionDocument, Scheme } from './documents.ts';
import { systemsFor } from './finding.ts';

export interface ReadinessItem {
  /** A few words that name the item. */
  readonly item: string;
  readonly isMet: boolean;
  /** If the item is met, the facts that meet it; otherwise the next step. */
  readonly says: string;
}

const item = (name: string, isMet: boolean, met: string, todo: string): ReadinessItem => ({
  item: name,
  isMet,
  says: isMet ? met : todo,
});

/** @param id of an institution or payment system; the result is undefined if it does not exist */
export function readinessOf(scheme: Scheme, id: string): readonly ReadinessItem[] | undefined {
  const system = scheme['clearing-systems'].get(id);
  if (system !== undefined) return systemItems(scheme, system);
  const institution = scheme.institutions.get(id);
  return institution === undefined ? undefined : institutionItems(scheme, institution);
}

function clientItem(
  scheme: Scheme,
  role: string,
  isTheirs: (one: { institutionId: string | null; clearingSystemId: string | null }) => boolean,
): ReadinessItem {
  const clients = [...scheme.clients.values()].filter((one) => one.role === role && isTheirs(one));
  const able = clients.filter(({ secrets }) => secrets.length > 0);
  return item(
    `client with the role ${role}`,
    able.length > 0,
    able.map(({ clientId }) => clientId).join(', '),
    clients.length === 0
      ? 'Enter one in clients, and give it a secret: POST /admin/clients/{clientId}/secrets; or let your own issuer name it.'
      : `${clients.map(({ clientId }) => clientId).join(', ')} has no secret: POST /admin/clients/{clientId}/secrets.`,
  );
}

function systemItems(scheme: Scheme, system: ClearingSystemDocument): readonly ReadinessItem[] {
  const { clearingSystemId: id, operatorId, countryCodes, currencyCode } = system;
  const operator = scheme.operators.get(operatorId);
  const members = [...scheme.institutions.values()].filter(
    (one) =>
      one.onboarded &&
      one.roles.includes('psp') &&
      one.memberships.some(({ clearingSystemId }) => clearingSystemId === id),
  );
  const unpriced = countryCodes.filter(
    (country) => !scheme['fee-formulas'].has(`${country}:${currencyCode}`),
  );
  const addressed = [...scheme['address-types'].values()].filter(
    ({ clearingSystemId }) => clearingSystemId === id,
  );
  return [
    item(
      'endpoint',
      operator !== undefined,
      operator?.endpointUrl ?? '',
      'Enter its operator, with endpointUrl.',
    ),
    item(
      'callback origins',
      (operator?.callbackOrigins.length ?? 0) > 0,
      operator?.callbackOrigins.join(', ') ?? '',
      `Enter the origins of its callbacks in callbackOrigins of ${operatorId} (SEC-2).`,
    ),
    item(
      'countries',
      countryCodes.length > 0,
      countryCodes.join(', '),
      'Enter the countries that it serves in countryCodes.',
    ),
    item(
      'fee formulas',
      countryCodes.length > 0 && unpriced.length === 0,
      'one for each of its countries',
      `Enter fee-formulas for ${unpriced.length === 0 ? 'its countries' : unpriced.join(', ')} in ${currencyCode} (FEE-1, FEE-2).`,
    ),
    item(
      'members',
      members.length > 0,
      `${members.length} onboarded PSPs`,
      'Enter institutions with the role psp and a membership, onboarded.',
    ),
    item(
      'address types',
      addressed.length > 0,
      addressed.map(({ addressTypeId }) => addressTypeId).join(', '),
      'Enter an address type for its accounts, so that a sender can be asked for one (endpoint 6).',
    ),
    clientItem(scheme, 'ipso', ({ clearingSystemId }) => clearingSystemId === id),
  ];
}

function institutionItems(scheme: Scheme, institution: InstitutionDocument): readonly ReadinessItem[] {
  const { roles, onboarded } = institution;
  const common = [
    item(
      'onboarded',
      onboarded,
      'yes',
      'Set onboarded when everything else is met: until then nobody can pay it.',
    ),
    item('roles', roles.length > 0, roles.join(', '), 'Enter its roles: psp, fxp, sap.'),
  ];
  return [
    ...common,
    ...(roles.includes('psp') ? pspItems(scheme, institution) : []),
    ...(roles.includes('fxp') ? fxpItems(scheme, institution) : []),
    ...(roles.includes('sap') ? sapItems(scheme, institution) : []),
  ];
}

function pspItems(
  scheme: Scheme,
  { institutionId: id, memberships }: InstitutionDocument,
): readonly ReadinessItem[] {
  const reached = memberships.flatMap(
    ({ clearingSystemId }) => scheme['clearing-systems'].get(clearingSystemId) ?? [],
  );
  const others = [...scheme.institutions.values()].filter(({ roles }) => roles.includes('fxp'));
  const served = reached.some(({ countryCodes, currencyCode }) =>
    others.some((fxp) =>
      fxp.corridors.some(
        ({ sourceCountry, sourceCurrency }) =>
          sourceCurrency === currencyCode && countryCodes.includes(sourceCountry),
      ),
    ),
  );
  return [
    item(
      'membership',
      reached.length > 0,
      reached.map(({ clearingSystemId }) => clearingSystemId).join(', '),
      'Enter the payment systems that it is a member of, with its member ids, in memberships.',
    ),
    item(
      'an FX provider from there',
      served,
      'there is one',
      'No FX provider has a corridor from its country and currency (FX-3).',
    ),
    clientItem(scheme, 'psp', ({ institutionId }) => institutionId === id),
  ];
}

function fxpItems(scheme: Scheme, fxp: InstitutionDocument): readonly ReadinessItem[] {
  const { institutionId: id, corridors, notificationUrl } = fxp;
  const places = new Map(
    corridors.flatMap(({ sourceCountry, sourceCurrency, destinationCountry, destinationCurrency }) => [
      [`${sourceCountry} ${sourceCurrency}`, { country: sourceCountry, currency: sourceCurrency }],
      [
        `${destinationCountry} ${destinationCurrency}`,
        { country: destinationCountry, currency: destinationCurrency },
      ],
    ]),
  );
  const lacks = [...places.values()].flatMap((place) => lackOf(scheme, fxp, place) ?? []);
  const unserved = [...places.values()].filter(
    ({ country, currency }) => systemsFor(scheme, country, currency).length === 0,
  );
  const rated = scheme['fx-prices'].get(id)?.baseRates.length ?? 0;
  return [
    item(
      'corridors',
      corridors.length > 0 && unserved.length === 0,
      `${corridors.length}`,
      'Enter the corridors that it may rate in corridors (FX-3).',
    ),
    item(
      'SAPs and accounts',
      corridors.length > 0 && lacks.length === 0,
      'one in each currency of its corridors',
      lacks.length === 0
        ? 'Enter corridors first.'
        : `${[...new Set(lacks)].join('; ')} (settlementAccess, settlement-accounts).`,
    ),
    item(
      'notification endpoint',
      notificationUrl !== null,
      notificationUrl ?? '',
      'Enter where its fxtr.017 goes in notificationUrl (NOT-1).',
    ),
    clientItem(scheme, 'fxp', ({ institutionId }) => institutionId === id),
    item(
      'rates',
      rated > 0,
      `${rated} corridors`,
      'It has posted no rate yet: POST /api/v1/rates as its client (FX-4).',
    ),
  ];
}

function sapItems(scheme: Scheme, { institutionId: id }: InstitutionDocument): readonly ReadinessItem[] {
  const accounts = [...scheme['settlement-accounts'].values()].filter(({ sapId }) => sapId === id);
  return [
    item(
      'accounts',
      accounts.length > 0,
      `${accounts.length}`,
      'Nobody has an account there: enter them in settlement-accounts.',
    ),
  ];
}
