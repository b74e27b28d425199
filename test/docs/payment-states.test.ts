// The document of the states of a payment says what the table of the code says (LIF-1).
import { expect, test } from 'vitest';
import {
  openStates,
  paymentChanges,
  type PaymentChange,
  type Telling,
} from '../../core/payments/payment-states.ts';
import { finalStatuses } from '../../core/payments/report.ts';
import { readDocument } from './documents.ts';

const document = readDocument('docs/reference/payment-states.md');
const changes = Object.entries<PaymentChange>(paymentChanges);
const pairs = (from: readonly string[], to: readonly string[]) =>
  from.flatMap((before) => to.map((after) => `${before} ${after}`));

test('each change of the table has a chapter with the states before and after it, and no other has one', () => {
  const [, chapter = ''] = document.split('\n## The changes\n');
  const [about = ''] = chapter.split('\n### Where a confirmation goes');
  const told = [...about.matchAll(/^### (.+): (.+) to (.+)$/gm)].map(([, title, from, to]) => {
    const states = (text = '') => text.split(/, | or /).map((state) => state.replaceAll('`', ''));
    return [title, states(from), states(to)];
  });
  expect(told).toEqual(changes.map(([title, { from, to }]) => [title, [...from], [...to]]));
});

/** By what each is told of, and the words for it. */
const words = {
  Source: { answer: /HTTP answer/, callback: /callback/ },
  Destination: { instruction: /pacs\.008/, confirmation: /confirmation/ },
  'FX provider': { notification: /fxtr\.017/ },
} as const satisfies Record<string, Partial<Record<Telling, RegExp>>>;

test('each chapter tells each party what the table has for it', () => {
  const told = changes.map(([title]) => {
    const [, after = ''] = document.split(`\n### ${title}: `);
    const [chapter = ''] = after.split('\n### ');
    const tells = Object.entries(words).flatMap(([party, tellings]) => {
      const [, line = 'nothing'] = new RegExp(`^- ${party}: (.+)$`, 'm').exec(chapter) ?? [];
      const named = Object.entries(tellings).filter(([, word]) => word.test(line));
      return line.startsWith('nothing') ? [] : named.map(([telling]) => telling);
    });
    return [title, tells];
  });
  expect(told).toEqual(changes.map(([title, { tells }]) => [title, [...tells]]));
});

test('the picture has each step of the table, and no other', () => {
  const drawn = [...document.matchAll(/^ {4}([A-Z]+|\[\*\]) --> ([A-Z]+):/gm)].map(([, from = '', to = '']) =>
    `${from} ${to}`.replace('[*]', '-'),
  );
  expect(new Set(drawn)).toEqual(new Set(changes.flatMap(([, { from, to }]) => pairs(from, to))));
});

test('each state is explained', () => {
  const explained = [...document.matchAll(/^\| `([A-Z]+)` \|/gm)].map(([, state]) => state);
  expect(explained).toEqual([...openStates, ...finalStatuses]);
});
