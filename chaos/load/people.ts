// Names and accounts of debtors and creditors: realistic, odd but legal (ReadableText of the schemas). Each contains
// one of the run's canaries, which may appear only in messages (I-14).
import type { Random } from './random.ts';

const names = [
  'Mei Lin Tan',
  "Siobhán O'Brien-Núñez",
  'Smith & Sons <Trading> "Pte" Ltd',
  'สมชาย ใจดี',
  'محمد عبد الله',
  'José Müller',
  '𠮷野家 田中', // a character of four bytes in UTF-8
] as const;

/** A name with a canary, at most 140 characters. */
export const drawName = (random: Random, canaries: readonly string[]) =>
  `${random.pick(canaries)} ${random.pick(names)}`;

/** An account number with that ending, and with a canary. */
export const drawAccount = (random: Random, canaries: readonly string[], ending: string) =>
  `${random.pick(canaries)}5${random.digits(4)}${ending}`;
