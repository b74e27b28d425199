// Changes of the scheme: what is proposed, what it would change, and the second person's yes or no.
import { html } from 'hono/html';
import type { z } from '@hono/zod-openapi';
import { changeStates, type changeSchema, type listedChangeSchema } from '../../scheme/scheme-schemas.ts';
import { actForm } from '../acts.ts';
import { badge, facts, link, section, table } from '../elements.ts';
import { time, type Html } from '../format.ts';
import { pathWith } from '../gateway.ts';
import type { Page, Visit } from '../visit.ts';

export type ListedChange = z.output<typeof listedChangeSchema>;
type Change = z.output<typeof changeSchema>;

export async function changesPage(visit: Visit): Promise<Page> {
  const { t, api, url } = visit;
  const state = url.searchParams.get('state') ?? '';
  const changes = await api.get<readonly ListedChange[]>(pathWith('/admin/changes', { state, limit: '100' }));
  const main = html`<h1>${t.nav.changes}</h1>
    <p>
      ${['', ...changeStates].map((one) => html`<a href="${pathWith('/portal/changes', { state: one })}" ${one === state ? html`aria-current="true"` : ''}>${one === '' ? t.words.all : one}</a> `)}
    </p>
    <section>${changeTable(visit, changes)}</section>
    ${section(t.changes.propose, actForm(visit, 'propose', { given: { objects: example } }))}`;
  return { title: t.nav.changes, main };
}

const example = '[{ "kind": "fee-formulas", "document": {} }]';

export function changeTable({ t, url }: Visit, changes: readonly ListedChange[]): Html {
  return table(
    [
      {
        title: t.changes.change,
        cell: ({ changeId, because }) => link(`/portal/changes/${changeId}`, because),
      },
      { key: 'state', title: t.words.state, cell: ({ state }) => badge(state), by: ({ state }) => state },
      { title: t.words.by, cell: ({ proposedBy }) => proposedBy },
      {
        key: 'at',
        title: t.words.at,
        cell: ({ proposedAt }) => time(proposedAt),
        by: ({ proposedAt }) => proposedAt,
      },
      { title: t.changes.effective, cell: ({ effectiveAt }) => time(effectiveAt) },
      {
        title: t.changes.objects,
        cell: ({ objects }) =>
          objects
            .map(({ kind, id }) => `${kind} ${id}`)
            .slice(0, 5)
            .join(', '),
      },
    ],
    changes,
    { t, url, caption: t.changes.caption, empty: t.changes.empty },
  );
}

export async function changePage(visit: Visit): Promise<Page> {
  const { t, api, params, url, reader } = visit;
  const changeId = params['changeId'] ?? '';
  const change = await api.get<Change>(`/admin/changes/${encodeURIComponent(changeId)}`);
  const at = { changeId };
  const isMine = change.proposedBy === reader.clientId;
  const main = html`<h1>${change.because}</h1>
    ${section(
      t.words.about,
      facts([
        [t.words.state, badge(change.state)],
        [t.words.by, change.proposedBy],
        [t.words.at, time(change.proposedAt)],
        [t.changes.effective, time(change.effectiveAt)],
      ]),
    )}
    ${objectSections(visit, change.objects)}
    ${
      change.probes.length === 0
        ? ''
        : section(
            t.changes.probes,
            table(
              [
                { title: t.words.address, cell: (probe) => probe.url },
                { title: t.words.outcome, cell: ({ outcome }) => outcome ?? t.payment.running },
                { title: t.words.answer, cell: ({ says }) => says },
              ],
              change.probes,
              { t, url, caption: t.changes.probes, empty: '' },
            ),
          )
    }
    ${
      change.state === 'pending'
        ? section(
            t.changes.decide,
            isMine
              ? html`<p>${t.changes.mine}</p>
                  ${actForm(visit, 'withdraw', { at })}`
              : html`${actForm(visit, 'approve', { at })}${actForm(visit, 'refuse', { at, isFolded: true })}`,
          )
        : change.state === 'scheduled' && isMine
          ? section(t.changes.decide, actForm(visit, 'withdraw', { at }))
          : ''
    }
    ${section(
      t.changes.steps,
      table(
        [
          { title: t.words.change, cell: ({ step }) => step },
          { title: t.words.by, cell: ({ by }) => by },
          { title: t.words.at, cell: (step) => time(step.at) },
          { title: t.words.reason, cell: ({ because }) => because },
        ],
        change.steps,
        { t, url, caption: t.changes.steps, empty: t.changes.noSteps },
      ),
    )}`;
  return { title: change.because, main };
}

/** What a change does to each object. */
export const objectSections = (visit: Visit, objects: Change['objects']): readonly Html[] =>
  objects.map(({ kind, id, isNew, ends, differences }) => {
    const { changes } = visit.t;
    return section(
      `${kind} ${id}`,
      html`<p>${isNew ? changes.isNew : ends ? changes.ends : changes.differs}</p>
        ${differenceTable(visit, differences)}`,
    );
  });

function differenceTable({ t, url }: Visit, differences: Change['objects'][number]['differences']): Html {
  return table(
    [
      { title: t.payment.field, cell: ({ path }) => html`<code>${path === '' ? '/' : path}</code>` },
      {
        title: t.payment.before,
        cell: ({ before }) =>
          before === null ? '' : html`<code class="before">${JSON.stringify(before)}</code>`,
      },
      {
        title: t.payment.after,
        cell: ({ after }) =>
          after === null ? '' : html`<code class="after">${JSON.stringify(after)}</code>`,
      },
    ],
    differences,
    { t, url, caption: t.changes.difference, empty: t.payment.same },
  );
}
