// Names and accounts of debtors and creditors: realistic ones, and unusual ones that the schemas allow
// (ReadableText). Each contains a canary of the run, which may appear only in messages (I-14).
import type { Random } from './random.ts';

const names = [
  'Mei Lin Tan',
  "Siobhán O'Brien-Núñez",
  'Smith & Sons <Trading> "Pte" Ltd',
  'สมชาย ใจดี',
  'محمد عبد الله',
  'José Müller',
  '𠮷野家 田中', // its first character has four bytes in UTF-8
] as const;

/** Draws a name with a canary, at most 140 characters. */
export const drawName = (random: Random, canaries: readonly string[]) =>
  `${random.pick(canaries)} ${random.pick(names)}`;

/** Draws an account number with a canary and the given last digits. */
export const drawAccount = (random: Random, canaries: readonly string[], ending: string) =>
  `${random.pick(canaries)}5${random.digits(4)}${ending}`;
