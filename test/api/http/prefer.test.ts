// What a source prefers, however it is written (RFC 7240), and what reading it may cost (SEC-7).
import { describe, expect, it } from 'vitest';
import { preferredWaitSeconds } from '../../../api/http/prefer.ts';

describe('Prefer: wait=N', () => {
  it.each([
    ['wait=10', 10],
    ['wait=30', 30],
    ['wait=31', 30],
    ['wait=0', 0],
    ['respond-async, WAIT = 5', 5],
    ['wait="7"', 7],
    ['handling=lenient; note="wait=9, wait=8", wait=3', 3],
    ['note="wait=9"', undefined],
    ['note="a \\" wait=9, wait=8"', undefined],
    ['wait="7', undefined],
    ['wait=ten', undefined],
    ['wait=-1', undefined],
    ['await=5', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s means %s', (header, seconds) => {
    expect(preferredWaitSeconds(header)).toBe(seconds);
  });

  it('costs no more where quotes are never closed than where they are, whatever stands in them', () => {
    const length = 15_000; // Node takes 16 KiB of headers
    const costOf = (piece: string, end = '') => {
      const header = piece.repeat(length / piece.length) + end;
      const started = performance.now();
      for (let n = 0; n < 20; n += 1) preferredWaitSeconds(header);
      return performance.now() - started;
    };
    const closed = costOf('note="a", ');
    for (const open of [costOf('\\"'), costOf('"\\'), costOf('""\\"'), costOf('\\"', '\\'), costOf(',  ')]) {
      expect(open / closed).toBeLessThan(30); // it was above 500
    }
  });
});
