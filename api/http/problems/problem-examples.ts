// An example of each problem for the OpenAPI document. The code that refuses requests makes most of them.
// Four texts depend on a request, so they are written out here.
import { invalidRequest, problem, type Problem } from './problem.ts';
import type { ProblemCode } from './problems.ts';
import {
  amountCurrencyNotOfCorridor,
  currencyNotOfCountry,
  pspNotOfCountry,
  tooManyDecimals,
  unknownCorridor,
  unknownCountry,
  unknownCurrency,
  unknownInstitution,
  unknownPsp,
} from './told.ts';

/** Returns the name of a problem's example in `components/examples`. */
export function problemExampleName(code: ProblemCode): string {
  return `problem-${code}`;
}

const corridor = {
  sourceCountry: 'SG',
  sourceCurrency: 'SGD',
  destinationCountry: 'TH',
  destinationCurrency: 'THB',
};
const dollar = { currencyId: 702, currencyCode: 'SGD', name: '', symbol: '', decimalPlaces: 2 };
const nobody = { type: 'BICFI', id: 'NOBODY00' };
const finInstId = { parameter: 'finInstId' };
const withDetail = (code: ProblemCode, detail: string) => problem(code, { detail });

/** Problems whose usual text is more specific than the table's default text. */
const told: Readonly<Partial<Record<ProblemCode, Problem>>> = {
  'invalid-request': invalidRequest([
    {
      parameter: 'sourceCountry',
      detail: 'must be two capital letters (ISO 3166 alpha-2), as in SG; not "sg"',
    },
  ]),
  unauthenticated: withDetail(
    'unauthenticated',
    'Send an access token: Authorization: Bearer <token>. POST /oauth/token issues one (client credentials).',
  ),
  'invalid-token': withDetail(
    'invalid-token',
    'The token has expired. POST /oauth/token issues one (client credentials).',
  ),
  forbidden: withDetail(
    'forbidden',
    'This requires the role psp or operator (of the scheme); MERISGS0 has the role fxp (FX provider).',
  ),
  'not-own-institution': withDetail(
    'not-own-institution',
    'A PSP may only ask for quotes for itself, and LOTUSGS0 asked for BICFI BANYSGS0. The role operator may ask for any PSP.',
  ),
  'unknown-country': unknownCountry({ parameter: 'sourceCountry' }, 'XX'),
  'unknown-currency': unknownCurrency({ parameter: 'sourceCurrency' }, 'XXX'),
  'currency-not-of-country': currencyNotOfCountry(
    { parameter: 'destinationCurrency' },
    { countryCode: 'TH', currencyCode: 'SGD', used: ['THB'] },
  ),
  'unknown-corridor': unknownCorridor(corridor, 'FX provider'),
  'unknown-institution': unknownInstitution(finInstId, nobody),
  'unknown-psp': unknownPsp(finInstId, nobody, 'SG'),
  'psp-not-of-source-country': pspNotOfCountry(finInstId, { type: 'BICFI', id: 'LOTUTHS0' }, 'SG'),
  'amount-currency-not-of-corridor': amountCurrencyNotOfCorridor(
    { parameter: 'amountCurrency' },
    'USD',
    corridor,
  ),
  'too-many-decimals': tooManyDecimals({ parameter: 'amount' }, '10.001', dollar),
};

export function problemExample(code: ProblemCode): Problem {
  return told[code] ?? problem(code);
}
