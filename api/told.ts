// Refusals of things that are well formed and do not fit, in words: which field, what it says, what would do instead. The
// codes are those of the table; whether something does not fit is the handler's question.
import type { Currency, ReferenceData } from '../core/reference.ts';
import { problem, type InputFault, type Problem, type ProblemCode, type ProblemOptions } from './problem.ts';

/** Where a value came from: a path, query or header parameter, or a member of the body. */
export type Field = { readonly parameter: string } | { readonly pointer: string };

/** Names of the four parts of a corridor where it was asked for. */
export interface CorridorFields {
  readonly sourceCountry: Field;
  readonly sourceCurrency: Field;
  readonly destinationCountry: Field;
  readonly destinationCurrency: Field;
}

export const corridorParameters: CorridorFields = {
  sourceCountry: { parameter: 'sourceCountry' },
  sourceCurrency: { parameter: 'sourceCurrency' },
  destinationCountry: { parameter: 'destinationCountry' },
  destinationCurrency: { parameter: 'destinationCurrency' },
};

interface CorridorCodes {
  readonly sourceCountry: string;
  readonly sourceCurrency: string;
  readonly destinationCountry: string;
  readonly destinationCurrency: string;
}

/** The refusal, with the field among its errors. */
export function refuse(code: ProblemCode, field: Field, detail: string, more: ProblemOptions = {}): Problem {
  const fault: InputFault = { ...field, detail };
  return problem(code, { ...more, detail, errors: [fault] });
}

export function unknownCountry(field: Field, code: string): Problem {
  return refuse('unknown-country', field, `The service has no country ${code}; GET /countries lists all.`);
}

export function unknownCurrency(field: Field, code: string): Problem {
  return refuse('unknown-currency', field, `The service has no currency ${code}; GET /currencies lists all.`);
}

export function currencyNotOfCountry(
  data: ReferenceData,
  field: Field,
  { countryCode, currencyCode }: { readonly countryCode: string; readonly currencyCode: string },
): Problem {
  const used = [...data.clearingSystems.values()]
    .filter((system) => system.countryCodes.includes(countryCode))
    .map((system) => system.currencyCode);
  const instead = [...new Set(used)].sort().join(', ');
  return refuse(
    'currency-not-of-country',
    field,
    `${countryCode} does not use ${currencyCode} here, but ${instead}.`,
  );
}

export function unknownCorridor(key: CorridorCodes, why: string): Problem {
  const { sourceCountry, sourceCurrency, destinationCountry, destinationCurrency } = key;
  const corridor = `${sourceCountry} ${sourceCurrency} to ${destinationCountry} ${destinationCurrency}`;
  return problem('unknown-corridor', { detail: `The service has no corridor ${corridor}: ${why}.` });
}

/** The currency of an amount that is neither side's. */
export function amountCurrencyNotOfCorridor(field: Field, currency: string, key: CorridorCodes): Problem {
  const { sourceCurrency, destinationCurrency } = key;
  return refuse(
    'amount-currency-not-of-corridor',
    field,
    `${currency} is neither ${sourceCurrency} nor ${destinationCurrency}: give the amount in one of them.`,
  );
}

export function tooManyDecimals(
  field: Field,
  amount: string,
  { currencyCode, decimalPlaces }: Currency,
): Problem {
  const decimals = amount.split('.')[1]?.length ?? 0;
  return refuse(
    'too-many-decimals',
    field,
    `${amount} has ${decimals} decimals, ${currencyCode} has ${decimalPlaces}: round it yourself, for nobody else may.`,
  );
}

/** FEE-5: what is left of the amount is nothing. */
export function amountRefused(
  field: Field,
  { code, detail, ruleId }: { readonly code: ProblemCode; readonly detail: string; readonly ruleId: string },
): Problem {
  return refuse(code, field, `${detail} Ask for a larger amount.`, { ruleId });
}

interface Named {
  readonly type: string;
  readonly id: string;
}

export function unknownInstitution(field: Field, { type, id }: Named): Problem {
  return refuse(
    'unknown-institution',
    field,
    `There is no institution ${type} ${id}; GET /fin-insts/any lists all.`,
  );
}

/** @param country whose PSPs may stand there; undefined: any */
export function unknownPsp(field: Field, { type, id }: Named, country?: string, ruleId?: string): Problem {
  const list = country === undefined ? '/fin-insts/psp' : `/countries/${country}/fin-insts/psp`;
  return refuse(
    'unknown-psp',
    field,
    `There is no PSP ${type} ${id}; GET ${list} lists those that may stand here.`,
    ruleId === undefined ? {} : { ruleId },
  );
}

export function pspNotOfCountry(field: Field, { type, id }: Named, country: string): Problem {
  return refuse(
    'psp-not-of-source-country',
    field,
    `${type} ${id} is not a PSP of ${country}; GET /countries/${country}/fin-insts/psp lists them.`,
  );
}
