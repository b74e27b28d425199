// Tests about the books of a day begin only when no day ends before they do.
import { expect, test } from 'vitest';
import { untilDayIsQuietMs } from './midnight.ts';

const minutesUntilQuiet = (time: string) => untilDayIsQuietMs(Date.parse(`2026-11-29T${time}Z`)) / 60_000;

test.each([
  ['12:00:00', 0],
  ['23:56:00', 0],
  ['23:57:05', 4],
  ['00:00:05', 1],
  ['00:01:05', 0],
])('at %s UTC they wait for %d minutes', (time, minutes) => {
  expect(minutesUntilQuiet(time)).toBe(minutes);
});
