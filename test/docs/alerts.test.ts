// Each alert of the record and each Prometheus rule has an entry in docs/operations/alerts.md, by one template, and a
// place in the index by urgency of docs/operations/on-duty.md.
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { eventKinds, type EventKind } from '../../core/operations/event-kinds.ts';
import { readDocument, root } from './documents.ts';
import { linksOf, sectionsOf } from './markdown.ts';

const kinds = Object.entries(eventKinds) as [EventKind, (typeof eventKinds)[EventKind]][];
const raised = kinds.filter(([, severity]) => severity !== 'info').map(([kind]) => kind as string);
const { groups } = parse(readDocument('docker/prometheus/isthmus-alerts.yaml')) as {
  groups: { rules: { alert: string; labels: { severity: string } }[] }[];
};
const rules = groups.flatMap((group) => group.rules);
const ruleNames = [...new Set(rules.map(({ alert }) => alert))];
const entries = sectionsOf(readDocument('docs/operations/alerts.md')).filter(({ level }) => level === 3);
const mostWords = 80;

it('every alert has one entry, and no entry is of an alert that is not raised', () => {
  expect(entries.map(({ title }) => title).sort()).toEqual([...raised, ...ruleNames].sort());
});

it.each(entries)('$title: says what it means, about money, what to do, and when it is over', (entry) => {
  const parts = [...entry.text.matchAll(/^\*\*(\w+)\.\*\* /gm)].map(([, name]) => name);
  const closes = raised.includes(entry.title) ? ['Close'] : []; // a rule ends by itself
  expect(parts).toEqual(['Means', 'Money', 'Do', ...closes]);
  const [text = ''] = entry.text.split(/^## /m);
  expect(text.trim().split(/\s+/).length).toBeLessThanOrEqual(mostWords);
});

const onDuty = sectionsOf(readDocument('docs/operations/on-duty.md'));
const linkedIn = (text: string) => linksOf(text).flatMap(({ anchor }) => anchor ?? []);

it('the person on duty finds every alert by its urgency; critical rules are for now', () => {
  const urgency = onDuty.find(({ title }) => title === 'By urgency')?.text ?? '';
  const named = linkedIn(urgency);
  expect(named.sort()).toEqual(entries.map(({ anchor }) => anchor).sort());
  const [now = ''] = urgency.split('**Within the hour.**');
  const critical = rules.filter(({ labels }) => labels.severity === 'critical');
  expect(linkedIn(now)).toEqual(expect.arrayContaining(critical.map(({ alert }) => alert.toLowerCase())));
});

it('the page of the person on duty is short', () => {
  expect(readDocument('docs/operations/on-duty.md').split(/\s+/).length).toBeLessThanOrEqual(400);
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
