// The part of a payment's page that operators see: its alerts, what they can do, what they did, and messages that did not
// count.
import { html } from 'hono/html';
import { actForm } from '../acts.ts';
import { badge, link, ruleLink, section, table, type Column } from '../elements.ts';
import { time, type Html } from '../format.ts';
import type { Visit } from '../visit.ts';
import { caseForms, type Alert } from './alerts.ts';
import type { Evidence } from './lanes.ts';

export const alertsOf = (subjectId: string) => ({ subjectId, state: 'open,taken,closed', limit: '500' });

export function alertsSection({ t, url }: Visit, alerts: readonly Alert[]): Html {
  if (alerts.length === 0) return '';
  const columns: readonly Column<Alert>[] = [
    { title: t.words.at, cell: ({ at }) => time(at) },
    { title: t.words.severity, cell: ({ severity }) => badge(severity) },
    { title: t.words.kind, cell: ({ alertId, kind }) => link(`/portal/alerts/${alertId}`, kind) },
    { title: t.words.state, cell: ({ state }) => badge(state) },
    { title: t.alerts.takenBy, cell: ({ takenBy }) => takenBy },
    { title: t.words.detail, cell: ({ detail }) => detailOf(detail) },
  ];
  return section(t.nav.alerts, table(columns, alerts, { t, url, caption: t.nav.alerts, empty: '' }));
}

/** `reason: wrong-status, party: THBPPAY` */
const detailOf = (detail: Readonly<Record<string, unknown>>) =>
  Object.entries(detail)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join(', ');

export function whatToDo(
  visit: Visit,
  evidence: Evidence,
  { alerts, isWhole }: { readonly alerts: readonly Alert[]; readonly isWhole: boolean },
): Html {
  const { uetr, status, outcomes, decision } = evidence;
  const { t } = visit;
  const at = { uetr };
  const standing = outcomes.find((one) => one.confirmedAt === null && one.withdrawnAt === null);
  return section(
    t.payment.acts,
    html`${decision === null ? actForm(visit, 'enquire', { at }) : actForm(visit, 'redeliver', { at, isFolded: true })}
    ${status === 'INDOUBT' && standing === undefined ? actForm(visit, 'settle', { at, isFolded: true }) : ''}
    ${standing === undefined ? '' : outcomeForms(visit, uetr, standing)}
    ${caseForms(visit, 'case', at, alerts, isWhole)}`,
    'acts',
  );
}

interface Done {
  readonly at: string;
  readonly by: string;
  readonly what: string;
  readonly note: string | null;
}

/** Entries of the case, and other acts of operators, which are events with their names. */
function donesOf({ entries, events, outcomes }: Evidence): readonly Done[] {
  const acts = events.flatMap(({ at, kind, detail }) => {
    const { by, ...rest } = detail;
    const outcome = outcomes.find(({ outcomeId }) => outcomeId === rest['outcomeId']);
    return typeof by === 'string' ? [{ at, by, what: kind, note: outcome?.evidence ?? detailOf(rest) }] : [];
  });
  const noted = entries.map(({ at, by, action, note }) => ({ at, by, what: action, note }));
  return [...acts, ...noted].sort((a, b) => (a.at < b.at ? -1 : 1));
}

export function whatWasDone({ t, url }: Visit, evidence: Evidence): Html {
  const events = evidence.events.filter(({ detail }) => typeof detail['by'] !== 'string');
  return html`${section(
    t.payment.events,
    table(
      [
        { title: t.words.at, cell: ({ at: when }) => time(when) },
        { title: t.words.severity, cell: ({ severity }) => badge(severity) },
        { title: t.words.kind, cell: ({ kind }) => kind },
        { title: t.words.party, cell: ({ party }) => party },
        { title: t.words.detail, cell: ({ detail }) => detailOf(detail) },
      ],
      events,
      { t, url, caption: t.payment.events, empty: t.payment.noEvents },
    ),
  )}
  ${section(
    t.payment.entries,
    table(
      [
        { title: t.words.at, cell: ({ at }) => time(at) },
        { title: t.words.by, cell: ({ by }) => by },
        { title: t.words.change, cell: ({ what }) => what },
        { title: t.words.note, cell: ({ note }) => note },
      ],
      donesOf(evidence),
      { t, url, caption: t.payment.entries, empty: t.payment.noEntries },
    ),
  )}`;
}

function outcomeForms(visit: Visit, uetr: string, outcome: Evidence['outcomes'][number]): Html {
  const { t } = visit;
  const at = { uetr, outcomeId: outcome.outcomeId };
  return html`<div class="card">
    <p>
      ${t.payment.recorded} ${badge(outcome.status)} ${outcome.reasonCode ?? ''} (${outcome.recordedBy},
      ${time(outcome.recordedAt)}): ${outcome.evidence}
    </p>
    ${actForm(visit, 'confirmOutcome', { at })}${actForm(visit, 'withdrawOutcome', { at, isFolded: true })}
  </div>`;
}

/** Messages of the destination that did not count, for operators. */
export function refusedMessages({ t, url }: Visit, { refusedMessages: refused, uetr }: Evidence): Html {
  if (refused.length === 0) return '';
  const columns: readonly Column<(typeof refused)[number]>[] = [
    { title: t.words.at, cell: ({ at }) => time(at) },
    { title: t.words.party, cell: ({ party }) => party },
    { title: t.words.kind, cell: ({ refusedAs }) => refusedAs },
    { title: t.words.status, cell: ({ fault }) => fault.reported },
    { title: t.words.reason, cell: ({ fault }) => fault.reason },
    {
      title: t.words.rule,
      cell: ({ fault: { ruleId } }) => (ruleId === undefined ? '' : ruleLink(ruleId)),
    },
    {
      title: t.words.bytes,
      cell: ({ messageId, size }) => link(`/portal/payments/${uetr}/messages/${messageId}`, `${size}`),
      isNumber: true,
    },
  ];
  return section(
    t.payment.refused,
    table(columns, refused, { t, url, caption: t.payment.refused, empty: '' }),
  );
}
