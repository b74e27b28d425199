// Output for a terminal: colours, widths, tables, amounts, and foreign text.
import { describe, expect, it } from 'vitest';
import { visible, visibleJson } from '../../cli/foreign-text.ts';
import { openTerminal, renderTable, showAmount, wrap } from '../../cli/terminal.ts';

describe('a terminal', () => {
  it('is coloured only where colours are on, and is never narrower than 60 columns', () => {
    const written: string[] = [];
    const write = (text: string) => void written.push(text);
    const plain = openTerminal({ write, colours: false, columns: 20 });
    expect(plain.paint('good', 'ok')).toBe('ok');
    expect(plain.width).toBe(60);
    plain.line('one');
    expect(written).toEqual(['one\n']);
    expect(openTerminal({ write, colours: false, columns: undefined }).width).toBe(120);
  });
});

describe('wrap', () => {
  it('breaks between words, and leaves a word alone that is longer than a line', () => {
    expect(wrap('to be or not', 5)).toEqual(['to be', 'or', 'not']);
    expect(wrap('a https://example.org/long b', 6)).toEqual(['a', 'https://example.org/long', 'b']);
  });
});

describe('renderTable', () => {
  it('aligns columns, numbers to the right', () => {
    expect(renderTable(['name', 'rate'], [['MERISGS0', '25']])).toEqual(['name      rate', 'MERISGS0    25']);
  });
});

describe('showAmount', () => {
  it.each([
    ['1000', '1,000'],
    ['24900.00', '24,900'],
    ['123456789012345.67', '123,456,789,012,345.67'],
    ['0.00001', '0.00001'],
  ])('%s is shown as %s', (decimal, shown) => {
    expect(showAmount(decimal)).toBe(shown);
  });
});

describe('foreign text', () => {
  const steering = [0x00, 0x1b, 0x9b, 0x202e];

  it.each(steering)('U+%s is shown, and steers no terminal (OBS-7)', (code) => {
    const character = String.fromCodePoint(code);
    const shown = visible(`a${character}b`);
    expect(shown).toMatch(/^a\\(?:u[0-9a-f]{4}|[nrtbf])b$/);
    expect(JSON.parse(`"${shown}"`)).toBe(`a${character}b`); // as JSON writes it
  });

  it('is as it was where nothing steers', () => {
    const text = 'สมชาย ใจดี, café "x" \\n 😀\u200d';
    expect(visible(text)).toBe(text);
  });

  it('is the same JSON, where JSON is shown as it came', () => {
    const json = JSON.stringify({ a: 'x\u009b2J\u202e\n"', b: [1.5] });
    const shown = visibleJson(json);
    expect(shown).not.toMatch(/[\u007f-\u009f\u202e]/);
    expect(JSON.parse(shown)).toEqual(JSON.parse(json));
  });
});
