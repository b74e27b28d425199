// White space is that of XML (#x20 #x9 #xD #xA), not JavaScript's, which has more characters.
import { describe, expect, test } from 'vitest';
import { isWhiteSpace, trimmed } from '../../../core/iso20022/tree.ts';

describe('white space', () => {
  const ofJavaScript = Array.from({ length: 0x10000 }, (_, code) => code).filter(
    (code) => String.fromCharCode(code).trim() === '',
  );

  test('is four characters, of the two dozen that JavaScript trims', () => {
    expect(ofJavaScript.length).toBeGreaterThan(20);
    expect(ofJavaScript.filter(isWhiteSpace)).toEqual([0x09, 0x0a, 0x0d, 0x20]);
  });

  test('is taken off a text at both ends, and nothing else is', () => {
    expect(trimmed(' \t\r\n a b \n')).toBe('a b');
    expect(trimmed('\u00A0a\uFEFF')).toBe('\u00A0a\uFEFF');
    expect([trimmed(''), trimmed(' \n')]).toEqual(['', '']);
  });
});
