// Building blocks of the portal's pages: tables, facts, badges, fields, charts. All text is escaped by hono/html.
import { html } from 'hono/html';
import { none, type Html } from './format.ts';
import type { Texts } from './texts.ts';

type Shown = Html | number | null | undefined;

export interface Column<Row> {
  /** In `?sort=`; absent: the table cannot be sorted by it. */
  readonly key?: string;
  readonly title: string;
  readonly cell: (row: Row) => Shown;
  /** Default: the cell, if that is text or a number. */
  readonly by?: (row: Row) => string | number;
  readonly isNumber?: true;
}

export interface TableOptions {
  readonly t: Texts;
  readonly url: URL;
  readonly caption: string;
  /** What to do when there is no row. */
  readonly empty: Html;
  /** Prefix of `sort`, where a page has several tables that can be sorted. */
  readonly name?: string;
}

/** Sorted on the server, so that an address shows the same order to everybody, with or without scripts. */
export function table<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  options: TableOptions,
): Html {
  if (rows.length === 0) return html`<p class="empty">${options.empty}</p>`;
  const parameter = options.name === undefined ? 'sort' : `${options.name}-sort`;
  const [, sign = '', asked = ''] =
    /^(-?)([\w-]+)$/.exec(options.url.searchParams.get(parameter) ?? '') ?? [];
  const sorting = columns.find(({ key }) => key !== undefined && key === asked);
  const sorted = sorting === undefined ? rows : [...rows].sort(comparing(sorting, sign === '-' ? -1 : 1));
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${options.caption}">
    <table>
      <caption class="quiet">
        ${options.caption}
      </caption>
      <thead>
        <tr>
          ${columns.map((column) => head(column, { asked: sorting && asked, sign, parameter, url: options.url }))}
        </tr>
      </thead>
      <tbody>
        ${sorted.map(
          (row) =>
            html`<tr>
              ${columns.map((column) => html`<td class="${column.isNumber ? 'number' : ''}">${orNone(column.cell(row))}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

const orNone = (shown: Shown) => (shown === null || shown === undefined || shown === '' ? none : shown);

function comparing<Row>({ by, cell }: Column<Row>, direction: 1 | -1): (a: Row, b: Row) => number {
  const valueOf = (row: Row) => {
    if (by !== undefined) return by(row);
    const shown = cell(row);
    return typeof shown === 'number' || typeof shown === 'string' ? shown : '';
  };
  return (a, b) => {
    const [left, right] = [valueOf(a), valueOf(b)];
    return left === right ? 0 : (left < right ? -1 : 1) * direction;
  };
}

function head<Row>(
  { key, title, isNumber }: Column<Row>,
  { asked, sign, parameter, url }: { asked: string | undefined; sign: string; parameter: string; url: URL },
): Html {
  const kind = isNumber ? 'number' : '';
  if (key === undefined) return html`<th scope="col" class="${kind}">${title}</th>`;
  const isSorted = key === asked;
  const next = new URL(url);
  next.searchParams.set(parameter, isSorted && sign === '' ? `-${key}` : key);
  const state = isSorted ? (sign === '-' ? 'descending' : 'ascending') : 'none';
  const arrow = isSorted ? (sign === '-' ? ' ↓' : ' ↑') : '';
  return html`<th scope="col" class="${kind}" aria-sort="${state}">
    <a href="${next.pathname}${next.search}">${title}${arrow}</a>
  </th>`;
}

/** Names with values, the empty ones left out. */
export function facts(entries: readonly (readonly [string, Shown])[]): Html {
  const given = entries.filter(
    ([, value]) => value !== null && value !== undefined && value !== '' && value !== none,
  );
  return html`<dl class="facts">
    ${given.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

const tones: Readonly<Record<string, string>> = {
  ACCC: 'good',
  done: 'good',
  well: 'good',
  answered: 'good',
  applied: 'good',
  best: 'good',
  RJCT: 'bad',
  BLCK: 'bad',
  INDOUBT: 'bad',
  'in-doubt': 'bad',
  'dead-letter': 'bad',
  contradicted: 'bad',
  down: 'bad',
  security: 'bad',
  REFUSED: 'bad',
  behind: 'warn',
  failed: 'bad',
  failing: 'warn',
  alert: 'warn',
  waiting: 'warn',
  telling: 'warn',
  pending: 'warn',
  open: 'warn',
};

/** A code with its meaning: never colour alone. */
export function badge(code: string | null, meaning?: string): Html {
  if (code === null) return none;
  const says = meaning === undefined ? '' : html` <span class="says">${meaning}</span>`;
  return html`<span class="badge ${tones[code] ?? ''}">${code}</span>${says}`;
}

/** @param id kept when the page refreshes, so that it stays open */
export const section = (title: string, body: Html, id?: string): Html =>
  html`<section ${id === undefined ? '' : html`id="${id}"`}>
    <h2>${title}</h2>
    ${body}
  </section>`;

export const link = (href: string, text: Html): Html => html`<a href="${href}">${text}</a>`;

/** A rule that a decision or refusal names. */
export const ruleLink = (ruleId: string): Html =>
  html`<a class="rule" href="/portal/rules/${ruleId}">${ruleId}</a>`;

export const uetrLink = (uetr: string): Html =>
  html`<a class="id" href="/portal/payments/${uetr}" title="${uetr}">${uetr.slice(0, 8)}…</a>`;

/** A tile with one number. */
export const tile = (href: string, number: number | string, says: string, tone = ''): Html =>
  html`<a class="tile ${tone}" href="${href}"><strong>${number}</strong> <span>${says}</span></a>`;

interface Bar {
  readonly label: string;
  readonly value: number;
  /** As written beside the bar. */
  readonly shown: string;
}

/** Horizontal bars as SVG. The table with the same figures stands behind it, for those who cannot see it. */
export function bars(title: string, rows: readonly Bar[], t: Texts): Html {
  if (rows.length === 0) return '';
  const most = Math.max(...rows.map(({ value }) => value), 1);
  const rowHeight = 24;
  const height = rows.length * rowHeight;
  return html`<figure class="chart">
    <figcaption>${title}</figcaption>
    <svg viewBox="0 0 400 ${height}" role="img" aria-label="${title}">
      ${rows.map(({ label, value, shown }, index) => {
        const y = index * rowHeight;
        const width = Math.max(1, (value / most) * 200);
        return html`<text x="90" y="${y + 16}" text-anchor="end">${label}</text
          ><rect x="96" y="${y + 4}" width="${width.toFixed(1)}" height="16" rx="2"></rect
          ><text x="${(100 + width).toFixed(1)}" y="${y + 16}">${shown}</text>`;
      })}
    </svg>
    <details>
      <summary>${t.words.asTable}</summary>
      <table>
        <tbody>
          ${rows.map(
            ({ label, shown }) =>
              html`<tr>
                <th scope="row">${label}</th>
                <td class="number">${shown}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </details>
  </figure>`;
}
