// The legend of the sandbox's accounts says what the parties do: every ending that means something, and nothing else.
import { describe, expect, it } from 'vitest';
import { passingReasons } from '../../core/resolutions/resolution.ts';
import { behaviourOf, type Statement } from '../../sandbox/behaviours.ts';
import { defaultTimings } from '../../sandbox/options.ts';
import { agentBicOf, paceOf, reasonOf } from '../../sandbox/resolution-behaviours.ts';
import { readDocument } from './documents.ts';
import { sectionsOf } from './markdown.ts';

const page = 'docs/reference/sandbox.md';
const endings = Array.from({ length: 10_000 }, (_, ending) => String(ending).padStart(4, '0'));
const account = (ending: string) => ({ otherId: `660000${ending}` });
const usual = behaviourOf(account('9999'));

/** Cells of the rows below a heading whose first cell begins with four digits, by those. */
function rowsBelow(title: string): ReadonlyMap<string, readonly string[]> {
  const text = sectionsOf(readDocument(page)).find((section) => section.title === title)?.text ?? '';
  const rows = [...text.matchAll(/^\| `(\d{4})`[^|]*\|(.*)\|$/gm)];
  return new Map(
    rows.map(([, ending = '', cells = '']) => [ending, cells.split('|').map((one) => one.trim())]),
  );
}

const inWords = ({ status, reasonCode }: Statement) =>
  [status, ...(reasonCode === undefined ? [] : [reasonCode])].map((code) => `\`${code}\``).join(' ');

describe(`${page}: payments`, () => {
  const rows = rowsBelow('Payments');
  const special = endings.filter((ending) => behaviourOf(account(ending)) !== usual);

  it('names every ending that has a behaviour of its own, and the one that all others share', () => {
    expect([...rows.keys()]).toEqual([...special, '0002'].sort());
  });

  it.each([...special, '0002'].sort())('%s: answer, reports and times', (ending) => {
    const { answer, outcome, refusals, reports, reportAfter } = behaviourOf(account(ending));
    const [answered = '', later = ''] = rows.get(ending) ?? [];
    const codes = {
      accepted: '202',
      interim: '`ACWP`',
      reset: 'no answer',
      outcome: outcome && inWords(outcome),
    };
    expect(answered).toContain(codes[answer] ?? 'an outcome');
    if (refusals !== undefined) expect(answered).toMatch(/503 .*three/);
    expect(refusals ?? 3).toBe(3);
    for (const report of reports ?? []) expect(later).toContain(inWords(report));
    if (reports === undefined) expect(later).not.toContain('reports');
    const times = {
      answerDelay: `${defaultTimings.answerDelayMs} ms`,
      interimDelay: `${defaultTimings.interimDelayMs / 1_000} s`,
      deadline: `${defaultTimings.lateByMs / 1_000} s after the deadline`,
    };
    if (reportAfter !== undefined) expect(later).toContain(times[reportAfter]);
  });
});

describe(`${page}: resolutions`, () => {
  const rows = rowsBelow('Resolutions');
  const special = endings.filter((ending) => reasonOf(ending) !== undefined || paceOf(ending) !== 'prompt');

  it('names every ending that is refused, slow or silent, with its code', () => {
    expect([...rows.keys()]).toEqual(special);
    for (const [ending, [told = '']] of rows) {
      const expected = { slow: 'after 2 s', silent: 'no answer', prompt: `\`${reasonOf(ending) ?? ''}\`` };
      expect({ ending, told }).toEqual({
        ending,
        told: expect.stringContaining(expected[paceOf(ending)]) as unknown,
      });
    }
  });

  it('has every code that RES-4 lists', () => {
    const told = [...rows.values()].flat().join(' ');
    expect([...passingReasons].filter((code) => !told.includes(`\`${code}\``))).toEqual([]);
  });

  it('says which agent an account has', () => {
    const text = readDocument(page);
    for (const [digit, prefix] of [
      ['1', 'BANY'],
      ['2', 'FERN'],
      ['3', 'NONE'],
      ['4', 'LOTU'],
    ] as const) {
      expect(agentBicOf(`66000${digit}0001`, 'TH')).toBe(`${prefix}THS0`);
      expect(text).toContain(prefix);
    }
  });
});
