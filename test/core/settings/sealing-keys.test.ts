// SEALING_KEYS as somebody writes it, or mistypes it (SEC-3).
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseSealingKeys } from '../../../core/settings/sealing-keys.ts';

const key = () => randomBytes(32).toString('base64');

describe('keys that seal', () => {
  it('one or several, by comma or line', () => {
    const [a, b] = [key(), key()];
    const expected = [
      { keyId: '2026', key: a },
      { keyId: '2025-old', key: b },
    ];
    expect(parseSealingKeys(`2026:${a},2025-old:${b}`)).toEqual(expected);
    expect(parseSealingKeys(`\n 2026:${a}\n2025-old:${b}\r\n`)).toEqual(expected);
  });

  it.each([
    ['', 'nothing'],
    [key(), 'no id'],
    [`a:${key()} a:${key()}`, 'one id twice'],
    [`a:${randomBytes(16).toString('base64')}`, '16 bytes'],
    [`a:${randomBytes(33).toString('base64')}`, '33 bytes'],
    [`a:${randomBytes(32).toString('hex')}`, 'hex'],
    [`a b:${key()}`, 'an id with a space'],
    [`a:${key()};b:${key()}`, 'a semicolon'],
  ])('%s: none (%s)', (text) => {
    expect(parseSealingKeys(text)).toBeUndefined();
  });
});
