// Members of an answer, held against what they must be: each that differs becomes a line of evidence.
import { same } from './decimals.ts';
import { instant } from './rows.ts';

export type Line = readonly [what: string, is: unknown, mustBe: unknown];

/** Text and flags must be equal; numbers, as numbers. */
export function faultsOf(texts: readonly Line[], numbers: readonly Line[] = []): readonly string[] {
  return [
    ...texts.filter(([, is, mustBe]) => is !== mustBe),
    ...numbers.filter(([, is, mustBe]) => !same(is, mustBe)),
  ].map(([what, is, mustBe]) => `${what}: ${String(is)} instead of ${String(mustBe)}`);
}

/** Whether a time that was shown, in milliseconds, is one of the database, which has microseconds. */
export function isShownTime(shown: string, stored: string): boolean {
  return Math.abs(instant(shown) - instant(stored)) <= 1;
}
