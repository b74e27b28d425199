// White space is what XML calls so (#x20 #x9 #xD #xA). JavaScript's own notion takes more, and its case folding folds
// more, some of it legal in names of XML: what reads messages must ask neither, which the sources themselves are held
// to here.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { isBlank, isWhiteSpace, trimmed } from '../../../core/iso20022/white-space.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const typescriptIn = (folder: string) =>
  readdirSync(`${root}${folder}`)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${folder}/${file}`);
/** Whatever reads messages: of the sandbox, its own readers. */
const readers = [
  ...typescriptIn('core/iso20022'),
  ...typescriptIn('xml'),
  ...[
    'api/http/intake.ts',
    'core/ids.ts',
    'core/rejections/message-difference.ts',
    'core/payments/agent.ts',
    'sandbox/forwarded-pacs008.ts',
  ],
];

test.each(readers)('%s asks XML, not JavaScript, what white space and equal letters are', (file) => {
  const code = readFileSync(`${root}${file}`, 'utf8')
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/^\s*\/\/.*$/gm, '')
    .replaceAll(/ from '[^']+';$/gm, '')
    .replace(/^const xmlType = .*$/m, ''); // a header, not a message: its letters have no case
  const ofMessages = code.replaceAll(/message\.trim\(\)|toString\(16\)\.toUpperCase\(\)/g, ''); // words and figures of our own
  expect(ofMessages).not.toMatch(/\\s|\\S|\\w|\\W|\\b/);
  expect(ofMessages).not.toMatch(
    /\.trim(Start|End)?\(|\.to(Locale)?(Lower|Upper)Case\(|localeCompare|\.normalize\(/,
  );
  expect(ofMessages).not.toMatch(/\/[dgmsuvy]*i[dgmsuvy]*[.,;)\s]/); // a flag i of a pattern
});

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

  test('alone makes a text blank', () => {
    expect([isBlank(''), isBlank(' \t\r\n'), isBlank(' \u00A0'), isBlank('\u3000')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect([isBlank('<a> </a>', 3, 4), isBlank('<a>b</a>', 3, 4)]).toEqual([true, false]);
  });
});
