// The flow of payments and quotes in a period, as a picture and as tables.
import { html } from 'hono/html';
import type { z } from '@hono/zod-openapi';
import type { flowSchema } from '../../payments/flow.ts';
import { bars, link, table, type Column } from '../elements.ts';
import { duration, share, type Html } from '../format.ts';
import { pathWith } from '../gateway.ts';
import type { Visit } from '../visit.ts';

export type Flow = z.output<typeof flowSchema>;

const minutesOffered = [10, 60, 1_440];

export function flowSection(visit: Visit, { minutes, corridors, quotes }: Flow): Html {
  const { t, url } = visit;
  const periods = minutesOffered.map((one) => {
    const there = new URL(url);
    there.searchParams.set('minutes', String(one));
    return html`<a href="${there.pathname}${there.search}" ${one === minutes ? html`aria-current="true"` : ''}
      >${duration(one * 60_000)}</a
    > `;
  });
  return html`<section id="flow">
    <h2>${t.home.flow}</h2>
    <nav aria-label="${t.home.period}">${t.home.period}: ${periods}</nav>
    ${bars(
      t.home.perCorridor,
      corridors
        .slice(0, 12)
        .map((one) => ({ label: one.corridor ?? '?', value: one.payments, shown: String(one.payments) })),
      t,
    )}
    ${corridorTable(visit, corridors)}
    ${
      visit.reader.role === 'ipso'
        ? ''
        : html`<h3>${t.home.quotes}</h3>
            ${quoteTable(visit, quotes)}`
    }
  </section>`;
}

type Corridor = Flow['corridors'][number];

/** The share of each final status. */
const shares: readonly Column<Corridor>[] = (
  [
    ['ACCC', 'accepted'],
    ['RJCT', 'rejected'],
    ['BLCK', 'blocked'],
  ] as const
).map(([status, member]) => ({
  key: status.toLowerCase(),
  title: status,
  cell: (one) => share(one[member], one.payments),
  by: (one) => one[member] / one.payments,
  isNumber: true,
}));

function corridorTable({ t, url, reader }: Visit, corridors: Flow['corridors']): Html {
  const isFxp = reader.role === 'fxp'; // it may not list payments
  return table(
    [
      {
        key: 'corridor',
        title: t.words.corridor,
        cell: ({ corridor }) =>
          corridor === null
            ? '?'
            : isFxp
              ? corridor
              : link(pathWith('/portal/payments', { corridor }), corridor),
        by: ({ corridor }) => corridor ?? '',
      },
      { key: 'payments', title: t.nav.payments, cell: ({ payments }) => payments, isNumber: true },
      ...shares,
      {
        title: t.home.reasons,
        cell: ({ reasons }) =>
          reasons
            .slice(0, 3)
            .map((one) => `${one.reasonCode} ${one.payments}`)
            .join(', '),
      },
      { key: 'undecided', title: t.home.open, cell: ({ undecided }) => undecided, isNumber: true },
      {
        key: 'p50',
        title: 'p50',
        cell: ({ p50Ms }) => duration(p50Ms),
        by: ({ p50Ms }) => p50Ms ?? 0,
        isNumber: true,
      },
      {
        key: 'p99',
        title: 'p99',
        cell: ({ p99Ms }) => duration(p99Ms),
        by: ({ p99Ms }) => p99Ms ?? 0,
        isNumber: true,
      },
      {
        title: t.home.withinMinute,
        cell: ({ acceptedWithinMinute, accepted }) => share(acceptedWithinMinute, accepted),
        isNumber: true,
      },
      {
        title: t.home.withinHour,
        cell: ({ acceptedWithinHour, accepted }) => share(acceptedWithinHour, accepted),
        isNumber: true,
      },
    ],
    corridors,
    { t, url, caption: t.home.flowCaption, empty: t.home.noFlow, name: 'flow' },
  );
}

function quoteTable({ t, url }: Visit, quotes: Flow['quotes']): Html {
  return table(
    [
      { key: 'fxp', title: 'FXP', cell: ({ fxp }) => fxp },
      { key: 'corridor', title: t.words.corridor, cell: ({ corridor }) => corridor },
      { key: 'issued', title: t.home.issued, cell: ({ issued }) => issued, isNumber: true },
      {
        key: 'best',
        title: t.home.best,
        cell: ({ best, issued }) => share(best, issued),
        by: ({ best, issued }) => best / Math.max(issued, 1),
        isNumber: true,
      },
      { key: 'capped', title: t.home.capped, cell: ({ capped }) => capped, isNumber: true },
      { key: 'used', title: t.home.used, cell: ({ used }) => used, isNumber: true },
    ],
    quotes,
    { t, url, caption: t.home.quotesCaption, empty: t.home.noQuotes, name: 'quotes' },
  );
}
