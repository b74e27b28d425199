// The random generator of a run. One seed determines everything, so the seed alone replays a run. Concurrent code draws
// from forks, so that the order of awaiting does not matter.
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

export interface Random {
  /** An integer between `from` and `to`, both included. */
  integer(from: number, to: number): number;
  /** Above 0, below 1. */
  fraction(): number;
  /** True with that probability in percent. */
  chance(percent: number): boolean;
  /** @throws Error if there are no items */
  pick<T>(items: readonly T[]): T;
  /** One of the rows, with a probability in proportion to its weight. */
  weighted<T extends { readonly weight: number }>(rows: readonly T[]): T;
  /** A UUID of version 4. */
  uuid(): string;
  /** `length` characters of 0 to 9 and a to f. */
  hex(length: number): string;
  /** `length` decimal digits. */
  digits(length: number): string;
  /** An independent generator. It takes a single draw from this one, however much it is used. */
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
