import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  basisPointsPattern,
  divideRoundedDownTo,
  divideRoundedUpTo,
  exact,
  fitsDecimalPlaces,
  isRate,
  jsonNumber,
  parseAmount,
  plainDecimal,
  renderDecimal,
  renderJson,
  roundDownTo,
  roundHalfUpTo,
} from '../../../core/money/money.ts';
import { amountOf, decimalPlaces, decimalText, rateText } from './arbitraries.ts';
import { divide, fraction, multiply, text, units } from './exact-reference.ts';

const isAmount = (written: string): boolean => parseAmount(written) !== undefined;

describe('what is an amount or a rate (MON-1)', () => {
  it.each(['0', '1', '0.5', '1000', '1000.00', '999999999999999999.99999', '0.00001'])(
    'amount %s',
    (written) => {
      expect(isAmount(written)).toBe(true);
    },
  );

  it.each([
    [
      '',
      '+5',
      '-5',
      '.5',
      '5.',
      '05',
      '00',
      '0001',
      '1e3',
      '1E3',
      '1,000',
      '1_000',
      ' 1',
      '1 ',
      '1\n',
      '0x10',
    ],
    ['NaN', 'Infinity', '1.123456', '1000000000000000000', '٣', '1.2.3', '1٫5'],
  ])('not an amount: %j and its like', (...texts) => {
    expect(texts.filter(isAmount)).toEqual([]);
  });

  it.each(['25', '0.1', '24.975024975', '1.0000000000', '99999999999', '0.0000000001', '12345.678901'])(
    'rate %s',
    (written) => {
      expect(isRate(written)).toBe(true);
    },
  );

  it('a rate has at most 11 digits as written, 10 decimals, and is above zero', () => {
    const refused = [
      '0',
      '0.0',
      '0.00000000000',
      '1.00000000001',
      '12.0000000000',
      '123456789012',
      '-1',
      '1e2',
    ];
    expect(refused.filter(isRate)).toEqual([]);
    expect(['', '01', '.1', '1.', '+1', '25.0000000000'].filter(isRate)).toEqual([]);
  });

  it('every rate of 11 digits and at most 10 decimals is taken, and one digit more is not', () => {
    fc.assert(
      fc.property(rateText, (written) => {
        expect(isRate(written)).toBe(true);
        expect(renderDecimal(exact(written))).toBe(written);
        const whole = written.split('.')[0] ?? '';
        const missing = 12 - whole.length;
        if (missing > 0 && missing <= 10) expect(isRate(`${whole}.${'1'.repeat(missing)}`)).toBe(false);
      }),
    );
  });

  it.each([
    ['0', true],
    ['10000', true],
    ['12.5', true],
    ['10000.00001', false],
    ['-1', false],
    ['10001', false],
  ])('basis points %s (FX-6): %s', (written, accepted) => {
    expect(basisPointsPattern.test(written)).toBe(accepted);
  });

  it.each([
    ['1000', 0, true],
    ['1000.5', 0, false],
    ['1000.00', 0, false],
    ['1000.00', 2, true],
    ['1000.005', 2, false],
  ])('MON-2: %s in a currency of %i decimals: %s', (written, places, fits) => {
    expect(fitsDecimalPlaces(written, places)).toBe(fits);
  });

  it('a stored decimal that is not plain digits is a defect', () => {
    for (const stored of ['', '-1', '1e5', 'NaN', '1.']) expect(() => exact(stored)).toThrow('plain digits');
  });
});

describe('roundings (MON-3), against integer arithmetic', () => {
  const product = fc.record({ amount: amountOf(5), rate: rateText, places: decimalPlaces });

  it('half up', () => {
    expect(renderDecimal(roundHalfUpTo(exact('0.125'), 2))).toBe('0.13');
    expect(renderDecimal(roundHalfUpTo(exact('0.1249999'), 2))).toBe('0.12');
    expect(renderDecimal(roundHalfUpTo(exact('0.5'), 0))).toBe('1');
    fc.assert(
      fc.property(product, ({ amount, rate, places }) => {
        const rounded = roundHalfUpTo(exact(amount).times(exact(rate)), places);
        const reference = units(multiply(fraction(amount), fraction(rate)), places, 'half up');
        expect(renderDecimal(rounded)).toBe(text(reference, places));
      }),
    );
  });

  it('down', () => {
    fc.assert(
      fc.property(product, ({ amount, rate, places }) => {
        const rounded = roundDownTo(exact(amount).times(exact(rate)), places);
        const reference = units(multiply(fraction(amount), fraction(rate)), places, 'down');
        expect(renderDecimal(rounded)).toBe(text(reference, places));
      }),
    );
  });

  it('quotients up and down, also where the remainder lies beyond 60 digits', () => {
    expect(renderDecimal(divideRoundedUpTo(exact('10'), exact('4'), 2))).toBe('2.5');
    expect(renderDecimal(divideRoundedUpTo(exact('1'), exact('3'), 2))).toBe('0.34');
    expect(renderDecimal(divideRoundedDownTo(exact('1'), exact('3'), 2))).toBe('0.33');
    fc.assert(
      fc.property(product, ({ amount, rate, places }) => {
        const quotient = divide(fraction(amount), fraction(rate));
        const up = divideRoundedUpTo(exact(amount), exact(rate), places);
        const down = divideRoundedDownTo(exact(amount), exact(rate), places);
        expect(renderDecimal(up)).toBe(text(units(quotient, places, 'up'), places));
        expect(renderDecimal(down)).toBe(text(units(quotient, places, 'down'), places));
      }),
    );
  });
});

describe('rendering (MON-1, MON-4)', () => {
  it('never an exponent, never a trailing zero', () => {
    expect(renderDecimal(exact('1000.00'))).toBe('1000');
    expect(renderDecimal(exact('0.0000000001'))).toBe('0.0000000001');
    expect(renderDecimal(exact(`1${'0'.repeat(40)}`))).toBe(`1${'0'.repeat(40)}`);
    fc.assert(
      fc.property(decimalText(5, 10n ** 23n), fc.nat(4), (value, zeros) => {
        const padded = (value.includes('.') ? value : `${value}.0`) + '0'.repeat(zeros);
        expect(renderDecimal(exact(padded))).toBe(value);
        expect(plainDecimal(padded)).toBe(value);
        expect(plainDecimal(value)).toBe(value);
      }),
    );
  });
});

describe('JSON with exact numbers (MON-4)', () => {
  it('123456789012345.67 comes out as 123456789012345.67', () => {
    expect(renderJson({ amount: jsonNumber('123456789012345.67'), rate: jsonNumber('0.1') })).toBe(
      '{"amount":123456789012345.67,"rate":0.1}',
    );
  });

  it('every digit of every decimal survives', () => {
    const decimal = decimalText(10, 10n ** 40n);
    fc.assert(
      fc.property(fc.array(decimal), fc.string(), (decimals, name) => {
        const body = renderJson({ [name]: decimals.map(jsonNumber) });
        expect(body).toBe(`{${JSON.stringify(name)}:[${decimals.join(',')}]}`);
      }),
    );
  });

  it('text that is no JSON number cannot be marked as one', () => {
    for (const digits of ['', '01', '1.', '.5', '1e5', 'NaN', '1,"x":2', '+1']) {
      expect(() => jsonNumber(digits)).toThrow('plain digits');
    }
    expect(renderJson([jsonNumber('-0.5')])).toBe('[-0.5]');
  });
});
