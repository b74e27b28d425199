// Alerts: what a person must look at, and who does.
import { html } from 'hono/html';
import type { z } from '@hono/zod-openapi';
import { alertStates, type CaseAction } from '../../../core/operations/cases.ts';
import { eventKinds } from '../../../core/operations/event-kinds.ts';
import type { alertPageSchema, alertWithEntriesSchema } from '../../operations/case-schemas.ts';
import { actForm, type FormOptions } from '../acts.ts';
import { badge, facts, link, section, table, uetrLink } from '../elements.ts';
import { ageOf, time, type Html } from '../format.ts';
import { pathWith } from '../gateway.ts';
import { ownText } from '../markdown.ts';
import type { Page, Visit } from '../visit.ts';

export type AlertPage = z.output<typeof alertPageSchema>;
export type Alert = AlertPage['alerts'][number];
type AlertWithEntries = z.output<typeof alertWithEntriesSchema>;

const kinds = Object.entries(eventKinds).flatMap(([kind, severity]) => (severity === 'info' ? [] : [kind]));
const filters = ['state', 'kind', 'party', 'severity', 'takenBy', 'subjectId', 'cursor'] as const;

export async function alertsPage(visit: Visit): Promise<Page> {
  const { t, api, url } = visit;
  const asked = Object.fromEntries(filters.map((name) => [name, url.searchParams.get(name) ?? '']));
  const { alerts, next } = await api.get<AlertPage>(pathWith('/alerts', { limit: '100', ...asked }));
  const state = url.searchParams.get('state');
  const main = html`<h1>${t.nav.alerts}</h1>
    <section>
      <form class="filters" method="get">
        <div>
          <label for="state">${t.fields.state}</label
          ><select id="state" name="state">
            <option value="">open, taken</option>
            ${alertStates.map((one) => html`<option ${one === state ? html`selected` : ''}>${one}</option>`)}
          </select>
        </div>
        ${(['kind', 'party'] as const).map((name) => html`<div><label for="${name}">${t.fields[name]}</label><input id="${name}" name="${name}" ${name === 'kind' ? html`list="kinds"` : ''} value="${url.searchParams.get(name) ?? ''}" /></div>`)}
        <datalist id="kinds">${kinds.map((kind) => html`<option value="${kind}"></option>`)}</datalist>
        <button>${t.words.show}</button>
      </form>
    </section>
    <section>
      ${table(
        [
          {
            key: 'kind',
            title: t.words.kind,
            cell: ({ alertId, kind }: Alert) => link(`/portal/alerts/${alertId}`, kind),
            by: ({ kind }: Alert) => kind,
          },
          { key: 'at', title: t.words.at, cell: ({ at }: Alert) => time(at), by: ({ at }: Alert) => at },
          { title: t.words.age, cell: ({ at }: Alert) => ageOf(at), isNumber: true },
          {
            key: 'severity',
            title: t.words.severity,
            cell: ({ severity }: Alert) => badge(severity),
            by: ({ severity }: Alert) => severity,
          },
          {
            key: 'party',
            title: t.words.party,
            cell: ({ party }: Alert) => party,
            by: ({ party }: Alert) => party ?? '',
          },
          { title: t.words.about, cell: subjectOf },
          {
            key: 'state',
            title: t.words.state,
            cell: (one: Alert) => badge(one.state),
            by: (one: Alert) => one.state,
          },
          { title: t.alerts.takenBy, cell: ({ takenBy }: Alert) => takenBy },
        ],
        alerts,
        { t, url, caption: t.alerts.caption, empty: t.alerts.empty },
      )}${next === null ? '' : link(pathWith('/portal/alerts', { ...asked, cursor: new URL(next).searchParams.get('cursor') ?? '' }), t.words.next)}
    </section>`;
  return { title: t.nav.alerts, main };
}

const subjectOf = ({ subjectId }: Alert): Html => (subjectId === null ? '' : uetrLink(subjectId));

export async function alertPage(visit: Visit): Promise<Page> {
  const { t, api, params, url } = visit;
  const alertId = params['alertId'] ?? '';
  const alert = await api.get<AlertWithEntries>(`/alerts/${encodeURIComponent(alertId)}`);
  const guide = await ownText(api, `/alert-kinds/${encodeURIComponent(alert.kind)}`);
  const main = html`<h1>${alert.kind}</h1>
    ${guide === undefined ? '' : section(t.alerts.guide, html`<div class="text">${guide}</div>`)}
    ${section(
      t.words.about,
      facts([
        [t.words.severity, badge(alert.severity)],
        [t.words.state, badge(alert.state)],
        [t.words.at, time(alert.at)],
        [t.words.party, alert.party],
        [t.words.about, subjectOf(alert)],
        [t.alerts.takenBy, alert.takenBy],
        ...Object.entries(alert.detail).map(([name, value]) => [name, String(value)] as const),
      ]),
    )}
    ${section(t.alerts.act, caseForms(visit, 'alert', { alertId }, [alert]))}
    ${section(
      t.payment.entries,
      table(
        [
          { title: t.words.at, cell: ({ at }) => time(at) },
          { title: t.words.by, cell: ({ by }) => by },
          { title: t.words.change, cell: ({ action }) => action },
          { title: t.words.note, cell: ({ note }) => note },
        ],
        alert.entries,
        { t, url, caption: t.payment.entries, empty: t.payment.noEntries },
      ),
    )}`;
  return { title: alert.kind, main };
}

/**
 * What a person can do about these alerts: each act has its own button. A case closes all alerts that the page shows; later
 * ones stay open.
 * @param isWhole the page shows all alerts of the case; otherwise its reader says which to close
 */
export function caseForms(
  visit: Visit,
  name: 'alert' | 'case',
  at: Readonly<Record<string, string>>,
  alerts: readonly Pick<Alert, 'alertId' | 'state' | 'takenBy'>[],
  isWhole = true,
): Html {
  const { label } = visit.t.alerts;
  const form = (action: CaseAction, options: FormOptions = {}) =>
    actForm(visit, name, {
      at,
      label: label[action],
      without: ['seen', 'all'],
      required: ['note'],
      isFolded: true,
      ...options,
      fixed: { action, ...options.fixed },
    });
  const open = alerts.filter(({ state }) => state !== 'closed');
  const others = open.filter(({ takenBy }) => takenBy !== visit.reader.clientId);
  const isTaken = others.some(({ takenBy }) => takenBy !== null); // to take it over, one says why
  const take = isTaken ? form('take') : form('take', { without: ['note', 'seen', 'all'], isFolded: false });
  const newest =
    alerts
      .map(({ alertId }) => alertId)
      .sort(byNumber)
      .at(-1) ?? '';
  const seen = isWhole ? { fixed: { seen: newest, all: 'true' } } : { without: [] };
  const close = form('close', name === 'case' ? seen : {});
  return html`${others.length > 0 ? take : ''}${form('note')}${open.length > 0 ? close : ''}
  ${open.length < alerts.length ? form('reopen') : ''}`;
}

const byNumber = (a: string, b: string) => Number(a) - Number(b);
