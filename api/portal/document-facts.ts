// A document of the scheme for reading: its members, with links to the objects that they name.
import { html } from 'hono/html';
import { kindNamedBy, type SchemeObject } from './document-form.ts';
import { link, table } from './elements.ts';
import { none, type Html } from './format.ts';
import type { Visit } from './visit.ts';

export const objectAddress = (kind: string, id: string): string =>
  `/portal/scheme/${kind}/${encodeURIComponent(id)}`;

export function documentFacts(visit: Visit, kind: string, document: SchemeObject): Html {
  const members = Object.entries(document);
  return html`<dl class="facts">
      ${members
        .filter(([, value]) => !hasObjects(value))
        .map(
          ([member, value]) =>
            html`<div>
              <dt>${member}</dt>
              <dd>${factOf(visit, kind, [member, value])}</dd>
            </div>`,
        )}
    </dl>
    ${members
      .filter(([, value]) => hasObjects(value))
      .map(
        ([member, value]) =>
          html`<h3>${member}</h3>
            ${Array.isArray(value) ? itemTable(visit, kind, [member, value as readonly SchemeObject[]]) : documentFacts(visit, kind, value as SchemeObject)}`,
      )}`;
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null;

const hasObjects = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(isObject) : isObject(value);

function itemTable(
  visit: Visit,
  kind: string,
  [member, items]: readonly [string, readonly SchemeObject[]],
): Html {
  const columns = Object.keys(items[0] ?? {}).map((title) => ({
    title,
    cell: (item: SchemeObject) => factOf(visit, kind, [title, item[title]]),
  }));
  return table(columns, items, { t: visit.t, url: visit.url, caption: member, empty: '' });
}

function factOf(visit: Visit, kind: string, [member, value]: readonly [string, unknown]): Html {
  const { yes, no } = visit.t.words;
  if (value === null || value === undefined) return none;
  if (typeof value === 'boolean') return value ? yes : no;
  if (Array.isArray(value) && !hasObjects(value)) {
    if (value.length === 0) return none;
    return html`${value.map((one, place) => html`${place === 0 ? '' : ', '}${factOf(visit, kind, [member, one])}`)}`;
  }
  if (typeof value === 'object') return html`<code>${JSON.stringify(value)}</code>`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const named = kindNamedBy(kind, member);
  return named === undefined ? text : link(objectAddress(named, text), text);
}
