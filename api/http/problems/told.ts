// Words the refusals of well-formed input with unsuitable values: the field, the given value, and a value to
// give instead. `core` or the handler decides. This file turns the refusals of `core` (corridor, amount, PSP)
// into problems.
import type {
  AmountRefusal,
  CorridorKey,
  CorridorRefusal,
  PlaceRefusal,
} from '../../../core/quotes/corridor.ts';
import type { AmountTooLarge, AmountTooSmall } from '../../../core/money/fee.ts';
import type { PspRefusal, QuoteRefusal } from '../../../core/quotes/quote-request.ts';
import type { Currency } from '../../../core/scheme/reference.ts';
import { problem, type InputFault, type Problem, type ProblemOptions } from './problem.ts';
import type { ProblemCode } from './problems.ts';

/** The place of a value in the request: a path, query or header parameter, or a member of the body. */
export type Field = { readonly parameter: string } | { readonly pointer: string };

/** The place of each part of a corridor's key in the request. */
export type CorridorFields = Readonly<Record<keyof CorridorKey, Field>>;

interface PlaceFields {
  readonly country: Field;
  readonly currency: Field;
}

interface AmountFields {
  readonly amountCurrency: Field;
  readonly amount: Field;
}

/** The place of each part of a quote request. */
export interface QuoteFields extends CorridorFields, AmountFields {
  readonly psp: Field;
}

const corridorParameters: CorridorFields = {
  sourceCountry: { parameter: 'sourceCountry' },
  sourceCurrency: { parameter: 'sourceCurrency' },
  destinationCountry: { parameter: 'destinationCountry' },
  destinationCurrency: { parameter: 'destinationCurrency' },
};
const placeParameters: PlaceFields = {
  country: { parameter: 'countryCode' },
  currency: { parameter: 'currencyCode' },
};
const amountParameters: AmountFields = {
  amountCurrency: { parameter: 'amountCurrency' },
  amount: { parameter: 'amount' },
};
export const quoteParameters: QuoteFields = {
  ...corridorParameters,
  ...amountParameters,
  psp: { parameter: 'finInstId' },
};

export function placeRefused(refusal: PlaceRefusal, fields = placeParameters): Problem {
  switch (refusal.code) {
    case 'unknown-country':
      return unknownCountry(fields.country, refusal.countryCode);
    case 'unknown-currency':
      return unknownCurrency(fields.currency, refusal.currencyCode);
    case 'currency-not-of-country':
      return currencyNotOfCountry(fields.currency, refusal);
  }
}

export function corridorRefused(refusal: CorridorRefusal, fields = corridorParameters): Problem {
  if (refusal.code === 'unknown-corridor') return unknownCorridor(refusal.key, refusal.lacks);
  return placeRefused(
    refusal,
    refusal.side === 'source'
      ? { country: fields.sourceCountry, currency: fields.sourceCurrency }
      : { country: fields.destinationCountry, currency: fields.destinationCurrency },
  );
}

export function amountRefused(
  refusal: AmountRefusal | AmountTooSmall | AmountTooLarge,
  fields = amountParameters,
): Problem {
  switch (refusal.code) {
    case 'amount-currency-not-of-corridor':
      return amountCurrencyNotOfCorridor(fields.amountCurrency, refusal.currency, refusal.key);
    case 'too-many-decimals':
      return tooManyDecimals(fields.amount, refusal.amount, refusal.currency);
    case 'amount-too-large':
    case 'amount-too-small': {
      const { code, detail, ruleId } = refusal;
      return refuse(code, fields.amount, detail, { ruleId });
    }
  }
}

/** @param asked the caller, and the places of the parts in the request */
export function quoteRefused(
  refusal: QuoteRefusal,
  asked: { readonly fields: QuoteFields; readonly caller: { readonly clientId: string } },
): Problem {
  const { fields, caller } = asked;
  switch (refusal.code) {
    case 'unknown-psp':
    case 'not-own-institution':
    case 'psp-not-of-source-country':
      return pspRefused(refusal, fields.psp, caller.clientId);
    case 'amount-currency-not-of-corridor':
    case 'too-many-decimals':
    case 'amount-too-small':
      return amountRefused(refusal, fields);
    case 'unknown-country':
    case 'unknown-currency':
    case 'currency-not-of-country':
    case 'unknown-corridor':
      return corridorRefused(refusal, fields);
  }
}

function pspRefused({ code, psp, sourceCountry }: PspRefusal, field: Field, clientId: string): Problem {
  switch (code) {
    case 'unknown-psp':
      return unknownPsp(field, psp, sourceCountry);
    case 'not-own-institution': {
      const detail = `A PSP may only ask for quotes for itself, and ${clientId} asked for ${psp.type} ${psp.id}. The role operator may ask for any PSP.`;
      return problem(code, { detail });
    }
    case 'psp-not-of-source-country':
      return pspNotOfCountry(field, psp, sourceCountry);
  }
}

/** Makes a problem that names the field in its errors. */
export function refuse(code: ProblemCode, field: Field, detail: string, more: ProblemOptions = {}): Problem {
  const fault: InputFault = { ...field, detail };
  return problem(code, { ...more, detail, errors: [fault] });
}

export function unknownCountry(field: Field, code: string): Problem {
  return refuse('unknown-country', field, `The service has no country ${code}; GET /countries lists them.`);
}

export function unknownCurrency(field: Field, code: string): Problem {
  return refuse(
    'unknown-currency',
    field,
    `The service has no currency ${code}; GET /currencies lists them.`,
  );
}

export function currencyNotOfCountry(
  field: Field,
  { countryCode, currencyCode, used }: Omit<Extract<PlaceRefusal, { readonly used: unknown }>, 'code'>,
): Problem {
  const detail = `In ${countryCode}, the service does not use ${currencyCode}, only ${used.join(', ')}.`;
  return refuse('currency-not-of-country', field, detail);
}

const whyNoCorridor = {
  'two countries': 'source and destination must be two countries of the service',
  'FX provider': 'no FX provider is set up for it; an operator of the scheme can set one up',
} as const;

export function unknownCorridor(key: CorridorKey, lacks: keyof typeof whyNoCorridor): Problem {
  const { sourceCountry, sourceCurrency, destinationCountry, destinationCurrency } = key;
  const corridor = `${sourceCountry} ${sourceCurrency} to ${destinationCountry} ${destinationCurrency}`;
  return problem('unknown-corridor', {
    detail: `The service has no corridor ${corridor}: ${whyNoCorridor[lacks]}.`,
  });
}

/** Refuses an amount whose currency belongs to neither side of the corridor. */
export function amountCurrencyNotOfCorridor(field: Field, currency: string, key: CorridorKey): Problem {
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
    `${amount} has ${decimals} decimal${decimals === 1 ? '' : 's'}, ${currencyCode} has ${decimalPlaces}: round the amount before you send it.`,
  );
}

interface Named {
  readonly type: string;
  readonly id: string;
}

const inLowerCase = (type: string, id: string) =>
  (type === 'BICFI' || type === 'LEI') && id !== id.toUpperCase() ? ' (its letters are capitals)' : '';

export function unknownInstitution(field: Field, { type, id }: Named): Problem {
  return refuse(
    'unknown-institution',
    field,
    `There is no institution ${type} ${id}${inLowerCase(type, id)}; GET /fin-insts/any lists them.`,
  );
}

/** @param country only PSPs of this country are allowed; undefined: PSPs of any country */
export function unknownPsp(field: Field, { type, id }: Named, country?: string, ruleId?: string): Problem {
  const list = country === undefined ? '/fin-insts/psp' : `/countries/${country}/fin-insts/psp`;
  return refuse(
    'unknown-psp',
    field,
    `There is no PSP ${type} ${id}${inLowerCase(type, id)}; GET ${list} lists the PSPs that are allowed here.`,
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
