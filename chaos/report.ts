// Tells a person what the judge found: each invariant by name, what was examined for it, and the evidence of each
// breach.
import type { Terminal } from '../cli/terminal.ts';
import type { Breach, Verdict } from './oracle/verdict.ts';

const mostTold = 3; // of one kind; the rest is counted, and stands in verdict.json beside the evidence

export function tellVerdict(terminal: Terminal, { findings, breaches }: Verdict): void {
  terminal.line(terminal.paint('heading', 'What the judge says'));
  for (const { id, title, examined, outcome, breaches: own } of findings) {
    const seen = examined.filter(({ count }) => count > 0).map(({ count, what }) => `${count} ${what}`);
    const mark = { held: '✓', broken: '✗', 'not-shown': '·' }[outcome];
    const style = { held: 'good', broken: 'bad', 'not-shown': 'warning' } as const;
    const said = {
      held: 'held',
      broken: `BROKEN, ${own.length} times`,
      'not-shown': 'not shown: nothing to examine',
    }[outcome];
    terminal.line(`${terminal.paint(style[outcome], `${mark} ${id.padEnd(9)} ${said}`)}: ${title}`);
    if (seen.length > 0) terminal.line(terminal.paint('muted', `            ${seen.join(', ')}`));
    for (const breach of own.slice(0, mostTold)) tellBreach(terminal, breach);
    if (own.length > mostTold) terminal.line(`            and ${own.length - mostTold} more`);
  }
  const kinds = new Set(breaches.map(({ id }) => id));
  terminal.line(
    breaches.length === 0
      ? terminal.paint('good', '✓ Every invariant that could be examined held')
      : terminal.paint('bad', `✗ ${breaches.length} breaches of ${[...kinds].join(', ')}`),
  );
}

function tellBreach(terminal: Terminal, { statement, subject, evidence }: Breach): void {
  terminal.line(`            ${subject}: ${statement}`);
  for (const line of evidence) terminal.line(terminal.paint('muted', `              ${line}`));
}
