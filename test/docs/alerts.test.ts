// Whoever is alerted finds in docs/operations.md what it means and what to do.
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readDocument, root } from './documents.ts';

const subjects = [
  'book',
  'payment',
  'decision',
  'delivery',
  'destination',
  'message',
  'notification',
  'resolution',
  'execution',
];
/** `'payment.in-doubt'` and the like, as code and statements write them. */
const kindOfEvent = new RegExp(String.raw`'((?:${subjects.join('|')})\.[a-z-]+)'`, 'g');
const sources = ['activities', 'api', 'db'].flatMap((folder) =>
  readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`),
);
/** Recorded for the evidence; they ask nothing of anybody. */
const noAlerts = ['resolution.reason-unlisted'];

it('every kind of alert has an entry', () => {
  const kinds = sources.flatMap((path) =>
    [...readDocument(path).matchAll(kindOfEvent)].map(([, kind]) => kind),
  );
  expect(kinds).toContain('payment.contradiction');
  const told = readDocument('docs/operations.md');
  const missing = new Set(kinds.filter((kind) => kind !== undefined && !told.includes(`\`${kind}\``)));
  expect([...missing].filter((kind) => !noAlerts.includes(kind ?? ''))).toEqual([]);
});
