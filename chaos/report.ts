// Prints the verdict: for each invariant the examined things, and for each breach the evidence.
import type { Terminal } from '../cli/terminal.ts';
import type { Breach, Finding, Verdict } from './oracle/verdict.ts';

const mostTold = 3; // printed breaches per invariant; verdict.json next to the evidence contains all

/** @returns 0 without a breach, 1 with a breach, 3 if the machine was too slow for most of the run */
export function exitCodeOf({ breaches, isMostlyUnjudged }: Verdict): number {
  if (breaches.length > 0) return 1;
  return isMostlyUnjudged ? 3 : 0;
}

const marks: Readonly<
  Record<Finding['outcome'], readonly [mark: string, style: 'good' | 'bad' | 'warning']>
> = {
  held: ['✓', 'good'],
  broken: ['✗', 'bad'],
  'not-judged': ['·', 'warning'],
  'not-shown': ['·', 'warning'],
};

export function tellVerdict(terminal: Terminal, verdict: Verdict): void {
  const { findings, breaches } = verdict;
  terminal.line(terminal.paint('heading', 'What the judge says'));
  for (const { id, title, examined, outcome, breaches: own, notJudged } of findings) {
    const seen = examined.filter(({ count }) => count > 0).map(({ count, what }) => `${count} ${what}`);
    const [mark, style] = marks[outcome];
    const said = {
      held: 'held',
      broken: `BROKEN, ${own.length} times`,
      'not-judged': `not judged, ${notJudged.length} times`,
      'not-shown': 'not shown: nothing to examine',
    }[outcome];
    terminal.line(`${terminal.paint(style, `${mark} ${id.padEnd(9)} ${said}`)}: ${title}`);
    if (seen.length > 0) terminal.line(terminal.paint('muted', `            ${seen.join(', ')}`));
    for (const breach of own.slice(0, mostTold)) tellBreach(terminal, breach);
    if (own.length > mostTold) terminal.line(`            and ${own.length - mostTold} more`);
    for (const one of notJudged.slice(0, 1)) tellUnjudged(terminal, one);
  }
  const kinds = new Set(breaches.map(({ id }) => id));
  terminal.line(
    breaches.length === 0
      ? terminal.paint('good', '✓ Every invariant that could be examined held')
      : terminal.paint('bad', `✗ ${breaches.length} breaches of ${[...kinds].join(', ')}`),
  );
  tellSlowness(terminal, verdict);
}

function tellSlowness(terminal: Terminal, { notJudged, isMostlyUnjudged }: Verdict): void {
  if (notJudged.length === 0) return;
  const judgement = isMostlyUnjudged
    ? 'It was too slow for more than half of the run: run again on a quieter machine'
    : 'Content was judged all the same';
  const count = `· ${notJudged.length} times not judged: the machine was too slow. ${judgement}`;
  terminal.line(terminal.paint('warning', count));
}

function tellUnjudged(terminal: Terminal, { statement, subject, evidence: [why = ''] }: Breach): void {
  terminal.line(terminal.paint('muted', `            ${subject}: ${statement}`));
  terminal.line(terminal.paint('muted', `              not judged: ${why}`));
}

function tellBreach(terminal: Terminal, { statement, subject, evidence }: Breach): void {
  terminal.line(`            ${subject}: ${statement}`);
  for (const line of evidence) terminal.line(terminal.paint('muted', `              ${line}`));
}
