// Rates as FX providers post them, and as PSPs of their own FX name them.
import { dividedBy, times } from './decimal.ts';
import type { Random } from './random.ts';
import type { Corridor } from './scheme.ts';

/** Near the market: up to half a per cent off the mid rate; at most 11 digits, as MON-1 wants it. */
export function drawRate(random: Random, { source, destination }: Corridor): string {
  const mid = dividedBy(destination.perDollar, source.perDollar, 10);
  const [whole = ''] = mid.split('.');
  const factor = String(random.integer(99_500, 100_500)).padStart(6, '0'); // of 100,000
  return times(mid, `${factor.slice(0, 1)}.${factor.slice(1)}`, 10 - whole.length);
}
