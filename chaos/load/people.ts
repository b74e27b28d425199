// Names, addresses and accounts of debtors and creditors: realistic, odd but legal (ReadableText of the schemas). Each
// contains one of the run's canaries, which may appear only in messages (I-14).
import { accountEndingIn } from '../../fixtures/endings.ts';
import type { Random } from './random.ts';

const names = [
  'Mei Lin Tan',
  "Siobhán O'Brien-Núñez",
  'Smith & Sons <Trading> "Pte" Ltd',
  'สมชาย ใจดี',
  'محمد عبد الله',
  'José Müller', // combining marks
  '𠮷野家 田中', // a character of four bytes in UTF-8
  'Đặng Thị Hồng Nhung',
  'R. ]]> & Co. 100 % --',
  'Ünsal 🏦 Öz',
  'नरेन्द्र शर्मा',
  "D'Angelo, Jr.",
] as const;

const streets = [
  'Harbour Street',
  'ถนนสุขุมวิท',
  '中環皇后大道',
  "Rue de l'Église",
  'Straße des 17. Juni & Co.',
];

const remittances = [
  'Invoice 118',
  'Rechnung № 7 & Gruß',
  'ค่าเช่า 12/2026',
  'مبلغ ٥٠',
  '発票 <42> "A"',
  'á́́ três',
  '🧾🧾🧾',
];

/** A name with a canary, at most 140 characters. */
export function drawName(random: Random, canaries: readonly string[]): string {
  return `${random.pick(canaries)} ${random.pick(names)}`.slice(0, 140);
}

/** A street with a canary, at most 70 characters. */
export function drawStreet(random: Random, canaries: readonly string[]): string {
  return `${random.pick(canaries)} ${random.pick(streets)}`.slice(0, 70);
}

export const drawRemittance = (random: Random) => random.pick(remittances);

const isFitForAccounts = (canary: string) => /^[A-Za-z0-9-]{1,24}$/.test(canary);

/** An account number with that ending, and with a canary if one fits. */
export function drawAccount(random: Random, canaries: readonly string[], ending: string): string {
  const fit = canaries.filter(isFitForAccounts);
  return fit.length === 0
    ? accountEndingIn(`${random.digits(4)}${ending}`)
    : `${random.pick(fit)}5${random.digits(4)}${ending}`;
}
