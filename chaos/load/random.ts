// The random generator of a run. One seed determines all draws, so the seed alone repeats a run. Concurrent
// code draws from forks, so that its timing does not change the draws.
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

export interface Random {
  /** Returns an integer from `from` to `to`, both included. */
  integer(from: number, to: number): number;
  /** Returns a number above 0 and below 1. */
  fraction(): number;
  /** Returns true with this probability, in per cent. */
  chance(percent: number): boolean;
  /** @throws Error if there are no items */
  pick<T>(items: readonly T[]): T;
  /** Returns one of the rows, with a probability in proportion to its weight. */
  weighted<T extends { readonly weight: number }>(rows: readonly T[]): T;
  /** Returns a UUID of version 4. */
  uuid(): string;
  /** Returns `length` hexadecimal digits in lower case. */
  hex(length: number): string;
  /** Returns `length` decimal digits. */
  digits(length: number): string;
  /**
   * Returns an independent generator. The fork takes exactly one draw from this generator, no matter how much
   * it is used.
   */
  fork(): Random;
}

const draws = 2 ** 31 - 2;

/** @param seed a 32-bit integer */
export function createRandom(seed: number): Random {
  const generator = xoroshiro128plus(seed | 0);
  const integer = (from: number, to: number) => uniformInt(generator, from, to);
  const fraction = () => integer(1, draws) / (draws + 1);
  const pick = <T>(items: readonly T[]): T => {
    const item = items[integer(0, Math.max(0, items.length - 1))];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  };
  const texts = (alphabet: string) => (length: number) =>
    Array.from({ length }, () => alphabet.charAt(integer(0, alphabet.length - 1))).join('');
  const hex = texts('0123456789abcdef');
  return {
    integer,
    fraction,
    chance: (percent) => fraction() * 100 < percent,
    pick,
    weighted: (rows) => {
      let left = fraction() * rows.reduce((sum, { weight }) => sum + weight, 0);
      return rows.find(({ weight }) => (left -= weight) < 0) ?? pick(rows.slice(-1));
    },
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${pick(['8', '9', 'a', 'b'])}${hex(3)}-${hex(12)}`,
    hex,
    digits: texts('0123456789'),
    fork: () => createRandom(integer(-(2 ** 31), 2 ** 31 - 1)),
  };
}
