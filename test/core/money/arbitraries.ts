/** Where the property tests of `core/` draw their figures: everything that MON-1 lets in, small values first. */
import fc from 'fast-check';
import { text } from './exact-reference.ts';

/** A decimal with at most `places` decimals and at most `max` units of them. */
export const decimalText = (places: number, max: bigint, min = 0n): fc.Arbitrary<string> =>
  fc
    .oneof(fc.bigInt({ min, max }), fc.bigInt({ min, max: max < min + 100_000n ? max : min + 100_000n }))
    .map((count) => text(count, places));

/** An amount on the grid of a currency, above zero, up to 12 digits before the point. */
export const amountOf = (places: number): fc.Arbitrary<string> =>
  decimalText(places, 10n ** BigInt(12 + places), 1n);

/** A rate of MON-1: above zero, 11 digits as written, 10 decimals. */
export const rateText: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 10 })
  .chain((places) => decimalText(places, 99_999_999_999n, 1n));

/** A rate as corridors have them, 0.0001 to 30000. */
export const usualRate: fc.Arbitrary<string> = fc.oneof(
  decimalText(10, 99_999_999_999n, 1_000_000n),
  decimalText(6, 30_000_000_000n, 100n),
);

/** Basis points of FX-6. */
export const basisPointsText: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 5 })
  .chain((places) => decimalText(places, 10_000n * 10n ** BigInt(places)));

/** Decimals of the currencies of the scheme (MON-2), and of others. */
export const decimalPlaces: fc.Arbitrary<number> = fc.constantFrom(0, 0, 2, 2, 2, 3, 5);
