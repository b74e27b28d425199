// Random numbers of the model. The same seed gives the same numbers, so that two runs can be compared.

export interface Random {
  /** At least 0, below 1. */
  readonly share: () => number;
  /** Exponentially distributed. */
  readonly exponential: (mean: number) => number;
  /** Log-normally distributed, by its median and its 99th percentile. Equal ones: always that value. */
  readonly logNormal: (median: number, p99: number) => number;
  readonly pick: <T>(values: readonly T[]) => T;
}

const normalP99 = 2.3263; // 99 % of a standard normal distribution lie below

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  /** The generator mulberry32, of 32 bits of state: enough for some millions of numbers. */
  function share(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  /** A standard normal number, by Box and Muller. */
  const normal = () => Math.sqrt(-2 * Math.log(1 - share())) * Math.cos(2 * Math.PI * share());
  return {
    share,
    exponential: (mean) => -mean * Math.log(1 - share()),
    logNormal: (median, p99) => median * Math.exp((Math.log(p99 / median) / normalP99) * normal()),
    pick: (values) => values[Math.floor(share() * values.length)] as (typeof values)[number],
  };
}
