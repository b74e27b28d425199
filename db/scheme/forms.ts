// Defines the form of each kind of document, as people write it. Checks every member before documents are
// compared or written. core/scheme/check.ts checks how members relate to each other. Members that most
// objects lack are optional. The portal makes its forms from them, with each description as a hint.
import { z } from 'zod';
import { readPublicKey } from '../keys/public-key.ts';
import { bicPattern, countryCodePattern, currencyCodePattern, finInstRoles } from '../../core/ids.ts';
import { decimalPattern } from '../../core/money/money.ts';
import {
  defaultAcceptanceAgeSeconds,
  type SchemeDocuments,
  type SchemeKind,
} from '../../core/scheme/documents.ts';
import { secretHashPattern } from './secrets.ts';

/** Ids that we or other parties assign. They appear in addresses, logs and messages. */
const id = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.-]{0,34}$/,
    'must be 1 to 35 letters, digits, dots, hyphens or underscores, the first a letter or digit',
  );
const name = z
  .string()
  .regex(
    /^[^\p{C}\p{Z}](?:[^\p{C}]{0,138}[^\p{C}\p{Z}])?$/u,
    'must be 1 to 140 printable characters, without a space at either end',
  );
const countryCode = z
  .string()
  .regex(countryCodePattern, 'must be two capital letters (ISO 3166 alpha-2), as in SG');
const currencyCode = z
  .string()
  .regex(currencyCodePattern, 'must be three capital letters (ISO 4217), as in SGD');
const decimal = z
  .string()
  .max(30)
  .regex(
    decimalPattern,
    'must be a decimal number in a string, from 0 on and without exponent, as in "0.50"',
  );
const basisPoints = decimal.refine((text) => Number(text) <= 10_000, 'must be at most 10000');
const isoNumber = z.int().min(1).max(999);
const url = z.string().max(2_048);
const seconds = z.int().positive().max(86_400);
const time = z.iso
  .datetime({ offset: true, error: 'must be a time, as in 2026-01-31T00:00:00Z' })
  .transform((text) => new Date(text).toISOString());
const accountId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_./-]{0,33}$/,
    'must be 1 to 34 letters, digits, dots, hyphens, slashes or underscores, the first a letter or digit',
  );
const anyId = z.string().regex(/^[!-~]{1,35}$/, 'must be 1 to 35 visible characters of ASCII');
const xPath = z
  .string()
  .regex(
    /^\/Document(\/\w+)+$/,
    'must be an XPath of element names, as in /Document/FIToFICstmrCdtTrf/CdtTrfTxInf/CdtrAcct',
  )
  .nullable();

const publicKeys = z
  .array(
    z.strictObject({
      keyId: id,
      jwk: z
        .record(z.string(), z.unknown(), 'must be a JWK: an object (RFC 7517), not PEM')
        .superRefine((jwk, context) => {
          const read = readPublicKey(jwk);
          if (!read.ok) context.addIssue({ code: 'custom', message: read.refusal });
        }),
      validFrom: time,
      validUntil: time.nullable().default(null),
    }),
  )
  .default([])
  .describe('As in [{"keyId": "2027", "jwk": {"kty": "OKP"}, "validFrom": "2027-01-01T00:00:00Z"}]');

const countryCodes = z.array(countryCode).describe('As in ["SG"]');
const bookEndpointUrl = url
  .nullable()
  .default(null)
  .describe('Address to which Isthmus sends its books; empty: it sends none');

const corridor = {
  sourceCountry: countryCode,
  sourceCurrency: currencyCode,
  destinationCountry: countryCode,
  destinationCurrency: currencyCode,
};

const bicForm =
  'must be a BIC of 8 or 11 characters in upper case, with the two letters of a country at 5 and 6 (ISO 9362)';

/** The forms by kind. In the output of a form every member is present. */
export const schemeForms: { readonly [Kind in SchemeKind]: z.ZodType<SchemeDocuments[Kind]> } = {
  currencies: z.strictObject({
    currencyCode,
    currencyId: isoNumber.describe('Numeric code (ISO 4217)'),
    name,
    symbol: name,
    decimalPlaces: z.int().min(0).max(5),
  }),
  countries: z.strictObject({
    countryCode,
    countryId: isoNumber.describe('Numeric code (ISO 3166)'),
    name,
    requiredPacs008Elements: z.array(z.enum(['purposeCode', 'categoryPurposeCode'])).default([]),
  }),
  operators: z.strictObject({
    operatorId: id,
    name,
    endpointUrl: url.describe('Base address, to which Isthmus appends /iso20022/pacs008 and so on'),
    callbackOrigins: z.array(url).default([]).describe('As in ["https://ipso.example"]'),
    signsMessages: z
      .boolean()
      .default(false)
      .describe('It must sign its messages; Isthmus then signs its messages to it, too (RFC 9421)'),
    publicKeys,
  }),
  'clearing-systems': z.strictObject({
    clearingSystemId: id,
    operatorId: id,
    currencyCode,
    maxAmount: decimal.refine((text) => Number(text) > 0, 'must be above 0'),
    maxExecutionSeconds: seconds,
    maxAcceptanceAgeSeconds: seconds.default(defaultAcceptanceAgeSeconds),
    maxResolutionSeconds: seconds.default(8),
    countryCodes,
    bookEndpointUrl,
  }),
  'address-inputs': z.strictObject({
    addressInputId: id,
    label: z
      .strictObject({
        addressTypeCode: z.string(),
        title: z.record(z.string().regex(/^[a-z]{2}$/, 'must be a language, as in en'), name),
      })
      .nullable()
      .default(null),
    attributes: z.strictObject({
      name: z.enum(['accountOrProxyId', 'finInstId', 'addressTypeCode']),
      type: z.enum(['number', 'text', 'email', 'tel', 'hidden']),
      pattern: z.string().nullable().optional(),
      placeholder: z.string().optional(),
      required: z.boolean(),
      value: z.string().optional(),
    }),
    iso20022XPath: z.strictObject({ acmt023: xPath, pacs008: xPath }),
  }),
  'address-types': z.strictObject({
    addressTypeId: id,
    addressTypeCode: z.string().regex(/^[A-Z]{4}$/, 'must be four capital letters, as in ACCT'),
    countryCodes,
    clearingSystemId: id.nullable().default(null),
    proxyDirectoryId: id.nullable().default(null),
    displayOrder: z.int().min(0),
    inputIds: z.array(id).min(1),
  }),
  institutions: z.strictObject({
    institutionId: id,
    name,
    countryCode,
    onboarded: z.boolean(),
    supportsAcmt023: z.boolean().default(false),
    roles: z.array(z.enum(finInstRoles)).describe('As in ["psp", "sap"]'),
    bics: z
      .array(z.string().regex(bicPattern, bicForm))
      .default([])
      .describe('As in ["LOTUSGS0"]; messages contain the first one'),
    lei: z
      .string()
      .regex(
        /^[A-Z0-9]{18}[0-9]{2}$/,
        'must be an LEI of 20 characters in upper case, the last two of them digits (ISO 17442)',
      )
      .nullable()
      .default(null),
    otherIds: z.array(anyId).default([]),
    memberships: z
      .array(z.strictObject({ clearingSystemId: id, memberId: anyId }))
      .default([])
      .describe('As in [{"clearingSystemId": "SGDFAST", "memberId": "7171"}]'),
    publicKeys,
    bookEndpointUrl,
    notificationUrl: url
      .nullable()
      .default(null)
      .describe('For an FX provider: the address for its fxtr.017'),
    settlementAccess: z
      .array(z.strictObject({ countryCode, sapId: id, validated: z.boolean() }))
      .default([])
      .describe(
        'For an FX provider: its SAPs, as in [{"countryCode": "TH", "sapId": "TH-HARB", "validated": true}]',
      ),
    corridors: z
      .array(z.strictObject(corridor))
      .default([])
      .describe('For an FX provider: the corridors for which it may post rates'),
  }),
  'settlement-accounts': z.strictObject({ sapId: id, accountId, ownerId: id, countryCode, currencyCode }),
  'fee-formulas': z.strictObject({
    countryCode,
    currencyCode,
    schemeFee: z.strictObject({
      nominalFeeAmount: decimal,
      percentageFeeAsRatio: decimal.describe('0.01 is 1 %'),
    }),
    creditorAgentFee: z.strictObject({
      nominalFeeAmount: decimal,
      percentageFee: decimal.refine((text) => Number(text) < 100, 'must be below 100').describe('1 is 1 %'),
    }),
  }),
  clients: z.strictObject({
    clientId: id,
    role: z.enum(['psp', 'fxp', 'ipso', 'operator']),
    institutionId: id.nullable().default(null),
    clearingSystemId: id.nullable().default(null),
    demo: z.boolean().default(false).describe('Its secret is public, as in demos'),
    secrets: z
      .array(
        z.strictObject({
          secretId: id,
          hash: z
            .string()
            .regex(
              secretHashPattern,
              'must be scrypt:<salt>:<digest> in hexadecimal, followed by :<tag> if Isthmus made the secret',
            ),
          endsAt: time.nullable().default(null),
        }),
      )
      .default([])
      .describe('Empty: all of them stay. Otherwise those stay that it names, as in [{"secretId": "1"}]'),
  }),
  'fx-prices': z.strictObject({
    fxpId: id,
    baseRates: z.array(z.strictObject({ ...corridor, exchangeRate: decimal })).default([]),
    tierImprovements: z
      .array(
        z.strictObject({
          unitCurrency: currencyCode,
          threshold: decimal,
          improvementBasisPoints: basisPoints,
        }),
      )
      .default([]),
    pspImprovements: z.array(z.strictObject({ pspId: id, improvementBasisPoints: basisPoints })).default([]),
  }),
};
