import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalId,
  finInstIdTypes,
  finInstRoleFilters,
  finInstRoles,
  isBic,
  isCountryCode,
  isUuid,
  isUuidV4,
  leiCheckDigits,
  maxQuotesPerRequest,
  parseQuoteId,
  quoteIdOf,
  quoteRequestIdFrom,
  quoteRequestOf,
} from '../../core/ids.ts';
import { holdsCheckDigits } from '../core/payments/lei.ts';

const uuid = '0f0a3c5e-7d2b-4c1d-9e8f-001122334455';
const lowerCaseV4 = fc.uuid({ version: 4 });

describe('UETR and quote ids', () => {
  it.each([
    ['lower-case UUID v4', uuid, true],
    ['upper case', uuid.toUpperCase(), false],
    ['version 1', '0f0a3c5e-7d2b-1c1d-9e8f-001122334455', false],
    ['variant of another standard', '0f0a3c5e-7d2b-4c1d-ce8f-001122334455', false],
    ['no hyphens', uuid.replaceAll('-', ''), false],
    ['a line break at the end', `${uuid}\n`, false],
    ['empty', '', false],
  ])('MSG-5, QUO-7: %s', (_, text, accepted) => {
    expect(isUuidV4(text)).toBe(accepted);
    expect(parseQuoteId(text)).toBe(accepted ? text : undefined);
  });

  it('REF-3: a UUID of another version or case is still a UUID, so that it is unknown rather than malformed', () => {
    expect(isUuid('0F0A3C5E-7D2B-1C1D-9E8F-001122334455')).toBe(true);
    expect(isUuid('0f0a3c5e-7d2b-1c1d-9e8f')).toBe(false);
    expect(isUuid('quote-1')).toBe(false);
  });

  it('QUO-10: a quote id leads back to its request and rank, for every rank', () => {
    fc.assert(
      fc.property(lowerCaseV4, fc.integer({ min: 1, max: maxQuotesPerRequest }), (random, ordinal) => {
        const requestId = quoteRequestIdFrom(random);
        const quoteId = quoteIdOf(requestId, ordinal);
        expect([isUuidV4(requestId), requestId.slice(-2)]).toEqual([true, '00']);
        expect(parseQuoteId(quoteId)).toBe(quoteId);
        expect(quoteId).not.toBe(requestId);
        expect(quoteRequestOf(quoteId)).toEqual({ requestId, ordinal });
      }),
    );
  });

  it('QUO-10: the ranks of one request have ids of their own', () => {
    const requestId = quoteRequestIdFrom(uuid);
    const ids = Array.from({ length: maxQuotesPerRequest }, (_, index) => quoteIdOf(requestId, index + 1));
    expect(requestId).toBe('0f0a3c5e-7d2b-4c1d-9e8f-001122334400');
    expect(ids[0]).toBe('0f0a3c5e-7d2b-4c1d-9e8f-001122334401');
    expect(ids[254]).toBe('0f0a3c5e-7d2b-4c1d-9e8f-0011223344ff');
    expect(new Set(ids).size).toBe(255);
  });

  it('an id that ends in 00 names no quote: its ordinal is 0', () => {
    const quoteId = parseQuoteId('0f0a3c5e-7d2b-4c1d-9e8f-001122334400');
    expect(quoteRequestOf(quoteId!).ordinal).toBe(0);
  });

  it.each([0, 256, -1, 1.5, Number.NaN])('ordinal %s is a defect', (ordinal) => {
    expect(() => quoteIdOf(quoteRequestIdFrom(uuid), ordinal)).toThrow('1 to 255');
  });

  it('a request id is not made from anything but a UUID v4', () => {
    expect(() => quoteRequestIdFrom('12345')).toThrow('UUID v4');
  });
});

describe('BIC', () => {
  it.each([
    ['LOTUSGS0', 'LOTUSGS0'],
    ['LOTUSGS0XXX', 'LOTUSGS0'],
    ['LOTUDES0BER', 'LOTUDES0BER'],
  ])('REF-4: %s is the institution %s', (written, canonical) => {
    expect(isBic(written)).toBe(true);
    expect(canonicalId('BICFI', written)).toBe(canonical);
  });

  it.each(['', 'LOTUSGS', 'LOTUSGS0X', 'LOTUSGS0XX', 'lotusgs0', 'LOTU1GS0', 'LOTUSGS0XXXX', 'LOTUSG S0'])(
    '"%s" is no BIC',
    (text) => {
      expect(isBic(text)).toBe(false);
    },
  );
});

describe('LEI', () => {
  it.each(['5493001KJTIIGC8Y1R12', '5493000IBP32UQZ0KL24', '529900T8BM49AURSDO55'])(
    'the published LEI %s holds its check digits',
    (lei) => {
      expect(holdsCheckDigits(lei)).toBe(true);
      expect(leiCheckDigits(lei.slice(0, 18))).toBe(lei.slice(18));
    },
  );

  it('ISO 7064: what is made holds, and no single digit or letter changed for another passes', () => {
    const alphabet = Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ');
    const first18 = fc
      .array(fc.constantFrom(...alphabet), { minLength: 18, maxLength: 18 })
      .map((characters) => characters.join(''));
    fc.assert(
      fc.property(first18, fc.nat(17), fc.constantFrom(...alphabet), (first, position, replacement) => {
        const lei = first + leiCheckDigits(first);
        const changed = lei.slice(0, position) + replacement + lei.slice(position + 1);
        fc.pre(/\d/.test(replacement) === /\d/.test(lei.charAt(position))); // a letter counts for two digits
        expect(holdsCheckDigits(lei)).toBe(true);
        expect(holdsCheckDigits(changed)).toBe(changed === lei);
      }),
    );
  });

  it.each(['', '5493001KJTIIGC8Y1R1', '5493001KJTIIGC8Y1R1A', '5493001kjtiigc8y1r12'])(
    '"%s" is no LEI',
    (text) => {
      expect(holdsCheckDigits(text)).toBe(false);
    },
  );
});

describe('codes and enums', () => {
  it('countries are taken by their form', () => {
    expect(['SG', 'sg', 'SGP'].map(isCountryCode)).toEqual([true, false, false]);
  });

  it('REF-4: the four kinds of institution id, as written', () => {
    expect(finInstIdTypes).toEqual(['BICFI', 'LEI', 'otherId', 'internalId']);
  });

  it('REF-4: only a BIC has two spellings', () => {
    expect(canonicalId('otherId', 'LOTUSGS0XXX')).toBe('LOTUSGS0XXX');
  });

  it('roles; `any` is a filter and no role', () => {
    expect(finInstRoles).toEqual(['psp', 'fxp', 'sap']);
    expect(finInstRoleFilters).toEqual(['psp', 'fxp', 'sap', 'any']);
  });
});
