// A scheme of two countries, small enough to know by heart, for tests of what needs reference data.
// SG (SGD, 2 decimals, SGDFAST) and TH (THB, 2 decimals, THBPPAY; fee 75 + 0.1 %, at most 2,000,000).
import { canonicalId } from '../../../core/ids.ts';
import { defaultAcceptanceAgeSeconds } from '../../../core/scheme/documents.ts';
import {
  keyOf,
  type ClearingSystem,
  type Institution,
  type ReferenceData,
} from '../../../core/scheme/reference.ts';

export function system(
  values: Pick<ClearingSystem, 'clearingSystemId' | 'currencyCode' | 'maxAmount'>,
): ClearingSystem {
  const countryCode = values.clearingSystemId.startsWith('SGD') ? 'SG' : 'TH';
  return {
    ...values,
    operatorId: `IPSO-${countryCode}`,
    maxExecutionSeconds: 20,
    maxAcceptanceAgeSeconds: defaultAcceptanceAgeSeconds,
    maxResolutionSeconds: 8,
    countryCodes: [countryCode],
  };
}

export function institution(
  values: Pick<Institution, 'institutionId' | 'roles'> & Partial<Institution>,
): Institution {
  const [countryCode = '', prefix = ''] = values.institutionId.split('-');
  const clearingSystemId = countryCode === 'SG' ? 'SGDFAST' : 'THBPPAY';
  return {
    name: prefix,
    countryCode,
    bics: [`${prefix}${countryCode}S0`],
    lei: null,
    otherIds: [],
    memberships: [{ clearingSystemId, memberId: `${prefix}${countryCode}01` }],
    onboarded: true,
    supportsAcmt023: false,
    hasEnded: false,
    notificationUrl: null,
    ...values,
  };
}

const institutions: readonly Institution[] = [
  institution({ institutionId: 'SG-LOTU', roles: ['psp'], lei: '99990000000000000011' }),
  institution({ institutionId: 'SG-BANY', roles: ['psp'] }),
  institution({ institutionId: 'SG-FERN', roles: ['psp'], onboarded: false }),
  institution({ institutionId: 'SG-HARB', roles: ['sap'] }),
  institution({ institutionId: 'TH-LOTU', roles: ['psp'], bics: ['LOTUTHS0', 'LOTUTHS0BKK'] }),
  institution({ institutionId: 'TH-FERN', roles: ['psp'], onboarded: false }),
  institution({ institutionId: 'TH-BARE', roles: ['psp'], bics: [], otherIds: ['THBARE001'] }),
  institution({ institutionId: 'TH-HARB', roles: ['sap'] }),
];

const byKey = <T>(rows: readonly T[], key: (row: T) => string) => new Map(rows.map((row) => [key(row), row]));

const accountOf = (owner: string, sapId: string, currencyCode: string) => {
  const countryCode = sapId.slice(0, 2);
  const accountId = `${owner.slice(3)}-${countryCode}-${currencyCode}`;
  return { ownerId: owner, sapId, countryCode, currencyCode, accountId };
};
const accounts = [
  accountOf('SG-LOTU', 'TH-HARB', 'THB'),
  accountOf('SG-MERI', 'TH-HARB', 'THB'),
  accountOf('SG-LOTU', 'SG-HARB', 'SGD'),
];

export const world: ReferenceData = {
  countries: byKey(
    [
      { countryCode: 'SG', countryId: 702, name: 'Singapore', requiredPacs008Elements: ['purposeCode'] },
      {
        countryCode: 'TH',
        countryId: 764,
        name: 'Thailand',
        requiredPacs008Elements: ['categoryPurposeCode'],
      },
    ],
    (row) => row.countryCode,
  ),
  currencies: byKey(
    ['SGD', 'THB'].map((currencyCode) => ({
      currencyCode,
      currencyId: 1,
      name: currencyCode,
      symbol: '',
      decimalPlaces: 2,
    })),
    (row) => row.currencyCode,
  ),
  operators: new Map(),
  clearingSystems: byKey(
    [
      system({ clearingSystemId: 'SGDFAST', currencyCode: 'SGD', maxAmount: '200000' }),
      system({ clearingSystemId: 'THBPPAY', currencyCode: 'THB', maxAmount: '2000000' }),
    ],
    (row) => row.clearingSystemId,
  ),
  institutions: byKey(institutions, (row) => row.institutionId),
  institutionsByIdentifier: new Map(
    institutions.flatMap((row) => [
      ...row.bics.map((bic) => [keyOf('BICFI', canonicalId('BICFI', bic)), row] as const),
      ...(row.lei === null ? [] : [[keyOf('LEI', row.lei), row] as const]),
      ...row.otherIds.map((id) => [keyOf('otherId', id), row] as const),
    ]),
  ),
  institutionsByMembership: new Map(
    institutions.flatMap((row) =>
      row.memberships.map((one) => [keyOf(one.clearingSystemId, one.memberId), row] as const),
    ),
  ),
  accountsAtSap: byKey(accounts, (row) => keyOf(row.sapId, row.accountId)),
  bookedAccounts: byKey(
    accounts.map(({ sapId, accountId, ownerId, currencyCode }) => ({
      sapId,
      accountId,
      owners: [{ ownerId, currencyCode, registeredAt: new Date('2026-01-01T00:00:00Z'), until: null }],
    })),
    (row) => keyOf(row.sapId, row.accountId),
  ),
  accountsOfOwner: new Map(),
  settlementAccess: new Map(),
  fxpCorridors: new Set(),
  schemeFeeFormulas: new Map(),
  creditorAgentFeeFormulas: new Map([[keyOf('TH', 'THB'), { nominalFee: '75.00', percentageFee: '0.1' }]]),
  pspImprovements: new Map(),
  addressTypes: new Map(),
  addressInputs: new Map(),
  bookEndpoints: new Map(),
  paused: new Set(),
};
