// How the Prefer header is read (RFC 7240).
import { describe, expect, it } from 'vitest';
import { preferredWaitSeconds } from '../../../api/payments/iso20022.ts';

describe('Prefer: wait=N', () => {
  it.each([
    ['wait=10', 10],
    ['wait=30', 30],
    ['wait=31', 30],
    ['wait=0', 0],
    ['respond-async, WAIT = 5', 5],
    ['wait="7"', 7],
    ['handling=lenient; note="wait=9", wait=3', 3],
    ['note="wait=9"', undefined],
    ['wait=ten', undefined],
    ['wait=-1', undefined],
    ['await=5', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s means %s', (header, seconds) => {
    expect(preferredWaitSeconds(header)).toBe(seconds);
  });
});
