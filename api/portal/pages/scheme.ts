// The scheme: its objects by kind, one object with its history, and what a party still lacks.
import { html } from 'hono/html';
import type { z } from '@hono/zod-openapi';
import { schemeIdOf, schemeKinds, type SchemeKind } from '../../../core/scheme/documents.ts';
import type { objectSchema, readinessSchema } from '../../scheme/scheme-schemas.ts';
import { actForm } from '../acts.ts';
import { documentFacts, objectAddress } from '../document-facts.ts';
import { digestOf, type SchemeObject } from '../document-form.ts';
import { badge, link, section, table } from '../elements.ts';
import { time, type Html } from '../format.ts';
import type { Page, Visit } from '../visit.ts';
import { changeTable } from './changes.ts';

type Documents = readonly SchemeObject[];
type Scheme = Readonly<Record<string, Documents>>;

export async function schemePage(visit: Visit): Promise<Page> {
  const { t, api, url } = visit;
  const scheme = await api.get<Scheme>('/admin/scheme');
  const parties = [
    ...partiesOf(scheme['clearing-systems'], 'clearingSystemId'),
    ...partiesOf(scheme['institutions'], 'institutionId'),
  ];
  const main = html`<h1>${t.nav.scheme}</h1>
    ${section(
      t.scheme.kinds,
      table(
        [
          { title: t.words.kind, cell: ({ kind }) => link(`/portal/scheme/${kind}`, kind) },
          { title: t.words.number, cell: ({ number }) => number, isNumber: true },
        ],
        schemeKinds.map((kind) => ({ kind, number: scheme[kind]?.length ?? 0 })),
        { t, url, caption: t.scheme.kinds, empty: '' },
      ),
    )}
    ${section(t.scheme.readiness, html`<p>${parties.map((party) => html`${link(`/portal/readiness/${encodeURIComponent(party)}`, party)} `)}</p>`)}`;
  return { title: t.nav.scheme, main };
}

const partiesOf = (documents: Documents | undefined, member: string) =>
  (documents ?? []).map((one) => String(one[member]));

export async function kindPage(visit: Visit): Promise<Page> {
  const { t, api, params, url } = visit;
  const kind = params['kind'] ?? '';
  const documents = await api.get<Documents>(`/admin/scheme/${encodeURIComponent(kind)}`);
  // the API has refused every other kind
  const idOf = (one: Documents[number]) => schemeIdOf(kind as SchemeKind, one as never);
  const members = Object.entries(documents[0] ?? {})
    .filter(([, value]) => value === null || typeof value !== 'object')
    .map(([member]) => member)
    .filter((member) => documents.some((one) => shown(one[member]) !== idOf(one)))
    .slice(0, 6);
  const main = html`<h1>${t.nav.scheme}: ${kind}</h1>
    <p>${link('/portal/scheme', t.scheme.kinds)}</p>
    <section>
      ${table(
        [
          {
            key: 'id',
            title: t.scheme.id,
            cell: (one) => link(objectAddress(kind, idOf(one)), idOf(one)),
            by: idOf,
          },
          ...members.map((member) => ({
            key: member,
            title: member,
            cell: (one: Documents[number]) => shown(one[member]),
            by: (one: Documents[number]) => shown(one[member]),
          })),
          {
            title: t.scheme.document,
            cell: (one: Documents[number]) =>
              html`<details>
                <summary>${t.words.show}</summary>
                <pre>${JSON.stringify(one, null, 2)}</pre>
              </details>`,
          },
        ],
        documents,
        { t, url, caption: kind, empty: t.scheme.empty },
      )}
    </section>
    <section>
      <details id="add">
        <summary>${t.scheme.addOne}</summary>
        ${actForm(visit, 'enter', { at: { kind } })}
      </details>
    </section>`;
  return { title: kind, main };
}

const shown = (value: unknown): string =>
  value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

export async function objectPage(visit: Visit): Promise<Page> {
  const { t, api, params, url } = visit;
  const kind = params['kind'] ?? '';
  const id = params['id'] ?? '';
  const { document, secrets, history } = await api.get<z.output<typeof objectSchema>>(
    `/admin/scheme/${encodeURIComponent(kind)}/${encodeURIComponent(id)}`,
  );
  const main = html`<h1>${kind} ${id}</h1>
    <p>${link(`/portal/scheme/${kind}`, kind)}</p>
    ${section(
      t.scheme.document,
      document === null
        ? html`<p>${t.scheme.ended}</p>`
        : html`${documentFacts(visit, kind, document)}
            <details>
              <summary>${t.scheme.asJson}</summary>
              <pre>${JSON.stringify(document, null, 2)}</pre>
            </details>`,
    )}
    ${
      secrets === undefined
        ? ''
        : section(
            t.scheme.secrets,
            html`${table(
              [
                { title: t.scheme.secretId, cell: ({ secretId }) => secretId },
                { title: t.scheme.endsAt, cell: ({ endsAt }) => time(endsAt) },
              ],
              secrets,
              { t, url, caption: t.scheme.secrets, empty: t.scheme.noSecrets },
            )}${actForm(visit, 'newSecret', { at: { clientId: id } })}`,
          )
    }
    ${document === null ? '' : section(t.changes.propose, changeForms(visit, document))}
    ${section(t.scheme.history, changeTable(visit, history))}`;
  return { title: `${kind} ${id}`, main };
}

function changeForms(visit: Visit, document: SchemeObject): Html {
  const { kind = '', id = '' } = visit.params;
  const objects = JSON.stringify([{ kind, ends: id }]);
  return html`${actForm(visit, 'enter', { at: { kind, id, was: digestOf(document) }, document, isFolded: true })}
  ${actForm(visit, 'end', { fixed: { objects }, isFolded: true })}`;
}

export async function readinessPage(visit: Visit): Promise<Page> {
  const { t, api, params, url } = visit;
  const party = params['party'] ?? '';
  const { isReady, items } = await api.get<z.output<typeof readinessSchema>>(
    `/admin/readiness/${encodeURIComponent(party)}`,
  );
  const main = html`<h1>${party}</h1>
    <p>${isReady ? badge('well', t.scheme.ready) : badge('failing', t.scheme.notReady)}</p>
    <section>
      ${table(
        [
          { title: t.scheme.item, cell: ({ item }) => item },
          {
            title: t.words.state,
            cell: ({ isMet }) => (isMet ? badge('done', t.words.yes) : badge('waiting', t.words.no)),
          },
          { title: t.scheme.says, cell: ({ says }) => says },
        ],
        items,
        { t, url, caption: t.scheme.readiness, empty: '' },
      )}
    </section>`;
  return { title: party, main };
}
