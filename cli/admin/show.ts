// Prints scheme changes, with the differences in each changed object.
import type { z } from 'zod';
import type { Terminal } from '../terminal.ts';
import type { changeSchema, listedChangeSchema, proposedSchema } from '../../api/scheme/scheme-schemas.ts';

export type Proposed = z.infer<typeof proposedSchema>;
type Change = z.infer<typeof changeSchema>;
type Edit = Change['objects'][number];

const mostDifferences = 40; // limit per object, because a new FX provider has hundreds of corridors

const shownValue = (value: unknown): string =>
  value === null || value === undefined ? 'nothing' : JSON.stringify(value);

function printEdit(terminal: Terminal, { kind, id, ends, isNew, differences }: Edit): void {
  const what = ends ? 'ends' : isNew ? 'is new' : 'changes';
  terminal.line(`  ${terminal.paint('heading', `${kind} ${id}`)} ${what}`);
  if (ends) return;
  if (isNew) {
    const [whole] = differences;
    for (const [member, value] of Object.entries(whole?.after ?? {})) {
      const text = shownValue(value);
      terminal.line(`    ${member}: ${text.length > 200 ? `${text.slice(0, 200)}...` : text}`);
    }
    return;
  }
  for (const { path, before, after } of differences.slice(0, mostDifferences)) {
    terminal.line(`    ${path}: ${shownValue(before)} -> ${shownValue(after)}`);
  }
  const left = differences.length - mostDifferences;
  if (left > 0) terminal.line(`    and ${left} more; --json shows them all`);
}

export function printFindings(terminal: Terminal, findings: readonly Proposed['findings'][number][]): void {
  for (const { severity, kind, id, path, says } of findings) {
    terminal.line(
      terminal.paint('warning', `! ${severity === 'error' ? 'error: ' : ''}${kind} ${id}${path} ${says}`),
    );
  }
}

/** Prints the state of a proposed change and the next step for the operator. */
export function printProposed(terminal: Terminal, { changeId, state, objects, findings }: Proposed): void {
  for (const edit of objects) printEdit(terminal, edit);
  printFindings(terminal, findings);
  const count = `${objects.length} object${objects.length === 1 ? '' : 's'}`;
  if (state === 'unchanged') terminal.line('Nothing to change: the scheme already has these values.');
  if (state === 'preview') terminal.line(`Nothing is changed yet: this is what would change, ${count}.`);
  if (state === 'applied') terminal.line(`✓ ${count} changed; the change takes effect within a second`);
  if (state === 'scheduled')
    terminal.line(
      `✓ ${count}: the change is scheduled and takes effect at its time (change ${changeId ?? ''})`,
    );
  if (state === 'pending') {
    terminal.line(
      `✓ Proposed as change ${changeId ?? ''}, ${count}. Nothing counts yet: another operator looks at it with`,
    );
    terminal.line(
      `  admin change ${changeId ?? ''}, and says admin approve ${changeId ?? ''} --because "..."`,
    );
  }
}

export function printChange(terminal: Terminal, change: Change): void {
  const { changeId, state, proposedBy, proposedAt, because, effectiveAt, steps, objects, probes } = change;
  terminal.line(`${terminal.paint('heading', changeId)} ${state}`);
  terminal.line(`  proposed by ${proposedBy}, ${proposedAt}: ${because}`);
  if (effectiveAt !== null) terminal.line(`  takes effect at ${effectiveAt}`);
  for (const { step, by, at, because: why } of steps) {
    terminal.line(`  ${step} by ${by}, ${at}${why === null ? '' : `: ${why}`}`);
  }
  for (const edit of objects) printEdit(terminal, edit);
  for (const { url, outcome, says } of probes) {
    const text = `${url}: ${says ?? 'is being tried'}`;
    terminal.line(
      outcome === 'failed'
        ? terminal.paint('warning', `  ! ${text}`)
        : `  ${outcome === null ? '…' : '✓'} ${text}`,
    );
  }
}

/** Prints one line for each change. */
export function printChanges(
  terminal: Terminal,
  changes: readonly z.infer<typeof listedChangeSchema>[],
): void {
  if (changes.length === 0) terminal.line('There are none.');
  for (const { changeId, state, proposedBy, proposedAt, because, objects } of changes) {
    const names = objects.slice(0, 3).map(({ kind, id }) => `${kind} ${id}`);
    const more = objects.length > 3 ? ` and ${objects.length - 3} more` : '';
    terminal.line(
      `${changeId} ${state.padEnd(9)} ${proposedAt} ${proposedBy}: ${names.join(', ')}${more}: ${because}`,
    );
  }
}
