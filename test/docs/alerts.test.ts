// Whoever is alerted finds in docs/operations.md what it means and what to do.
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { eventKinds, type EventKind } from '../../core/operations/event-kinds.ts';
import { readDocument, root } from './documents.ts';

const kinds = Object.entries(eventKinds) as [EventKind, (typeof eventKinds)[EventKind]][];

it.each(kinds.filter(([, severity]) => severity !== 'info'))('%s has an entry', (kind) => {
  expect(readDocument('docs/operations.md')).toContain(`\`${kind}\``);
});

it('every kind is recorded somewhere', () => {
  const texts = ['activities', 'core', 'db']
    .flatMap((folder) =>
      readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts') && !name.endsWith('event-kinds.ts'))
        .map((name) => readDocument(`${folder}/${name}`)),
    )
    .join('\n');
  expect(kinds.map(([kind]) => kind).filter((kind) => !texts.includes(`'${kind}'`))).toEqual([]);
});
