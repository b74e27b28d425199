// Days and moments are patterns in our schemas, for a pattern is the only way to refuse whitespace around them: these
// tests hold the patterns against the calendar.
import { describe, expect, test } from 'vitest';
import { loadModel } from './generate.ts';

/** The patterns of a type as one of JavaScript's: the syntax that they use is the same in both. */
function matcherOf(name: string): RegExp {
  const type = loadModel('pacs008').simpleTypes.get(name);
  const patterns = (type?.facets ?? []).filter((facet) => facet.name === 'pattern').map(({ value }) => value);
  expect(patterns).toHaveLength(2);
  return new RegExp(`^(?:${patterns.join('|')})$`);
}

const pad = (value: number, length: number) => String(value).padStart(length, '0');
const exists = (year: number, month: number, day: number) => {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
};

describe('Day', () => {
  test('takes every day from 1000 to 9999 and no other', () => {
    const matcher = matcherOf('Day');
    const wrong: string[] = [];
    for (let year = 1000; year <= 9999; year += year < 1890 || year > 2410 ? 7 : 1) {
      for (let month = 0; month <= 13; month += 1) {
        for (const day of [0, 1, 9, 10, 19, 20, 28, 29, 30, 31, 32]) {
          const text = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
          const isDay = month >= 1 && month <= 12 && day >= 1 && exists(year, month, day);
          if (matcher.test(text) !== isDay) wrong.push(text);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  test.each(['0999-01-01', '2026-11-21Z', '2026-11-21 '])('"%s" is none', (text) => {
    expect(matcherOf('Day').test(text)).toBe(false);
  });
});

describe('Moment', () => {
  test.each(['2026-11-21T04:00:00Z', '2026-11-21T23:59:59.999999999Z', '2024-02-29T00:00:00-13:59'])(
    '%s is one',
    (text) => {
      expect(matcherOf('Moment').test(text)).toBe(true);
    },
  );

  test.each([
    '2026-11-21T04:00:00',
    '2026-11-21T24:00:00Z',
    '2026-11-21T04:00:60Z',
    '2026-11-21T04:00:00.1234567891Z',
    '2026-11-21T04:00:00+14:01',
    '2025-02-29T04:00:00Z',
    '2026-11-21T04:00:00Z ',
  ])('"%s" is none', (text) => {
    expect(matcherOf('Moment').test(text)).toBe(false);
  });
});
