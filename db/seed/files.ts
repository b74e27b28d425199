/**
 * The demo's reference data as its files hold it (seed data): every form is checked before a row is made of it.
 * It stands before the first payment, and must not be read by anything but the loader of the embedded default.
 */
import { z } from 'zod';
import { bicPattern, countryCodePattern, currencyCodePattern, finInstRoles } from '../../core/ids.ts';
import { decimalPattern } from '../../core/money.ts';
import addressInputs from './address-inputs.json' with { type: 'json' };
import addressTypes from './address-types.json' with { type: 'json' };
import clearingSystems from './clearing-systems.json' with { type: 'json' };
import countries from './countries.json' with { type: 'json' };
import currencies from './currencies.json' with { type: 'json' };
import feeFormulas from './fee-formulas.json' with { type: 'json' };
import fxpCorridors from './fxp-corridors.json' with { type: 'json' };
import improvements from './improvements.json' with { type: 'json' };
import institutions from './institutions.json' with { type: 'json' };
import midRates from './mid-rates.json' with { type: 'json' };
import operators from './operators.json' with { type: 'json' };
import settlementAccounts from './settlement-accounts.json' with { type: 'json' };

const countryCode = z.string().regex(countryCodePattern);
const currencyCode = z.string().regex(currencyCodePattern);
const institutionId = z.string().regex(/^[A-Z]{2}-[A-Z]{4}$/); // internalId, REF-4
const bic = z.string().regex(bicPattern);
const decimal = z.string().regex(decimalPattern);
const role = z.enum(finInstRoles);
const xPath = z
  .string()
  .regex(/^\/Document(\/\w+)+$/)
  .nullable();

const addressInput = z.strictObject({
  addressInputId: z.string(),
  /** absent for hidden inputs */
  label: z
    .strictObject({ addressTypeCode: z.string(), title: z.strictObject({ en: z.string(), de: z.string() }) })
    .optional(),
  attributes: z.strictObject({
    name: z.enum(['accountOrProxyId', 'finInstId', 'addressTypeCode']),
    type: z.enum(['number', 'text', 'email', 'tel', 'hidden']),
    pattern: z.string().nullable().optional(),
    placeholder: z.string().optional(),
    required: z.boolean(),
    value: z.string().optional(),
  }),
  iso20022XPath: z.strictObject({ acmt023: xPath, pacs008: xPath }),
});

const addressType = z.strictObject({
  addressTypeId: z.string(),
  addressTypeCode: z.enum(['ACCT', 'IBAN', 'MBNO', 'EMAL']),
  countryCodes: z.array(countryCode),
  clearingSystemId: z.string().optional(),
  proxyDirectoryId: z.string().optional(),
  displayOrder: z.int(),
  inputIds: z.array(z.string()),
});

const institutionFile = z.strictObject({
  /** One institution per country and row: BIC `{prefix}{cc}S0`, internalId `{cc}-{prefix}`, name and country. */
  perCountry: z.array(
    z.strictObject({
      prefix: z.string().regex(/^[A-Z]{4}$/),
      name: z.string(),
      roles: z.array(role),
      onboarded: z.boolean(),
      supportsAcmt023: z.boolean(),
      hasLei: z.boolean(),
    }),
  ),
  /** What replaces the rule for one of them. */
  exceptions: z.array(
    z.strictObject({
      institutionId,
      bics: z.array(bic).optional(),
      otherIds: z.array(z.string()).optional(),
      roles: z.array(role).optional(),
    }),
  ),
  fxps: z.array(z.strictObject({ bic, name: z.string(), countryCode })),
});

const seedFiles = z.strictObject({
  countries: z.array(
    z.strictObject({
      countryCode,
      countryId: z.int(),
      name: z.string(),
      requiredPacs008Elements: z.array(z.enum(['purposeCode', 'categoryPurposeCode'])),
    }),
  ),
  currencies: z.array(
    z.strictObject({
      currencyCode,
      currencyId: z.int(),
      name: z.string(),
      symbol: z.string(),
      decimalPlaces: z.int().min(0).max(5),
    }),
  ),
  operators: z.strictObject({
    callbackOrigins: z.array(z.string()),
    operators: z.array(z.strictObject({ operatorId: z.string(), name: z.string() })),
  }),
  clearingSystems: z.array(
    z.strictObject({
      clearingSystemId: z.string(),
      operatorId: z.string(),
      currencyCode,
      /** as given: the scale is kept (MON-1) */
      maxAmount: decimal,
      maxExecutionSeconds: z.int().positive(),
      countryCodes: z.array(countryCode),
    }),
  ),
  addressInputs: z.array(addressInput),
  addressTypes: z.array(addressType),
  institutions: institutionFile,
  settlementAccounts: z.strictObject({
    /** Each FXP's account in each country and currency; `{fxp}`, `{country}`, `{currency}` are filled in. */
    fxpAccounts: z.strictObject({ sapId: z.string(), accountId: z.string() }),
    notValidated: z.array(z.strictObject({ fxpId: institutionId, countryCode })),
    ownFxAccounts: z.array(
      z.strictObject({
        ownerId: institutionId,
        sapId: institutionId,
        countryCode,
        currencyCode,
        accountId: z.string(),
      }),
    ),
  }),
  /** Every FXP is set up for every corridor but these. */
  fxpCorridors: z.strictObject({
    notSetUp: z.array(
      z.strictObject({
        fxpId: institutionId,
        sourceCountry: countryCode,
        destinationCountry: countryCode,
      }),
    ),
  }),
  feeFormulas: z.array(
    z.strictObject({
      countryCodes: z.array(countryCode),
      currencyCode,
      schemeFee: z.strictObject({ nominalFeeAmount: decimal, percentageFeeAsRatio: decimal }),
      creditorAgentFee: z.strictObject({ nominalFeeAmount: decimal, percentageFee: decimal }),
    }),
  ),
  improvements: z.strictObject({
    /** In every currency of the demo, of that currency. */
    tiers: z.array(
      z.strictObject({ fxpId: institutionId, threshold: decimal, improvementBasisPoints: decimal }),
    ),
    psps: z.array(
      z.strictObject({ fxpId: institutionId, pspId: institutionId, improvementBasisPoints: decimal }),
    ),
  }),
  midRates: z.strictObject({
    unitsPerSingaporeDollar: z.record(currencyCode, decimal),
    /** By FXP: what its base rates lie below the mid rates. */
    spreadBasisPoints: z.record(institutionId, decimal),
  }),
});

export type SeedFiles = z.infer<typeof seedFiles>;

/** The files of this folder. @throws when one of them has not its form, naming the place */
export function readSeedFiles(): SeedFiles {
  return seedFiles.parse({
    countries,
    currencies,
    operators,
    clearingSystems,
    addressInputs,
    addressTypes,
    institutions,
    settlementAccounts,
    fxpCorridors,
    feeFormulas,
    improvements,
    midRates,
  });
}
