// The first page: what needs a person now, and how it goes. Each role sees its own.
import { html } from 'hono/html';
import type { z } from '@hono/zod-openapi';
import type { alertPageSchema } from '../../operations/case-schemas.ts';
import { link, section, table, tile } from '../elements.ts';
import type { Html } from '../format.ts';
import { pathWith } from '../gateway.ts';
import { isOperator, type Page, type Visit } from '../visit.ts';
import type { ListedChange } from './changes.ts';
import { flowSection, type Flow } from './flow.ts';
import { healthOf, inTrouble, partyTable, type Parties } from './parties.ts';
import { paymentTable, type ListedPayment } from './payments.ts';
import { trialsSection, type Trials } from './trials.ts';

type AlertPage = z.output<typeof alertPageSchema>;
interface Payments {
  readonly payments: readonly ListedPayment[];
  readonly next: string | null;
}

export async function homePage(visit: Visit): Promise<Page> {
  return isOperator(visit) ? operatorHome(visit) : partyHome(visit);
}

const paymentsIn = (visit: Visit, state: string) =>
  visit.api.get<Payments>(pathWith('/payments', { state, limit: '100' }));
/** A page of a filtered list can be empty although more may follow. */
const mayBe = ({ payments, next }: Payments) => payments.length > 0 || next !== null;
const minutesOf = ({ url }: Visit) => url.searchParams.get('minutes') ?? '60';

async function operatorHome(visit: Visit): Promise<Page> {
  const { t, api, url } = visit;
  const minutes = minutesOf(visit);
  const [alerts, inDoubt, waiting, dead, changes, parties, flow] = await Promise.all([
    api.get<AlertPage>('/alerts?limit=500'),
    paymentsIn(visit, 'in-doubt'),
    paymentsIn(visit, 'waiting'),
    paymentsIn(visit, 'dead-letter'),
    api.get<readonly ListedChange[]>('/admin/changes?state=pending&limit=100'),
    api.get<Parties>('/parties?minutes=60'),
    api.get<Flow>(pathWith('/flow', { minutes })),
  ]);
  const groups = groupsOf(alerts.alerts);
  const troubled = inTrouble(parties);
  const nobody =
    [alerts.alerts, changes, troubled].every(({ length }) => length === 0) && !mayBe(inDoubt) && !mayBe(dead);
  const main = html`<h1>${t.home.needsYou}</h1>
    ${nobody ? html`<p class="notice good">${t.home.nothing}</p>` : ''} ${engineNotice(visit, parties)}
    <div class="tiles">
      ${tile('/portal/alerts', countOf(alerts.alerts, alerts.next), t.home.openAlerts, alerts.alerts.length > 0 ? 'warn' : '')}
      ${tile('/portal/payments?state=in-doubt', countOf(inDoubt.payments, inDoubt.next), t.home.inDoubt, mayBe(inDoubt) ? 'bad' : '')}
      ${tile('/portal/payments?state=waiting', countOf(waiting.payments, waiting.next), t.home.undecided)}
      ${tile('/portal/payments?state=dead-letter', countOf(dead.payments, dead.next), t.home.deadLetters, mayBe(dead) ? 'bad' : '')}
      ${tile('/portal/parties', troubled.length, t.home.troubled, troubled.length > 0 ? 'warn' : '')}
      ${tile('/portal/changes?state=pending', changes.length, t.home.changes, changes.length > 0 ? 'warn' : '')}
    </div>
    ${
      groups.length === 0
        ? ''
        : section(
            t.home.alertsByKind,
            table(
              [
                {
                  key: 'kind',
                  title: t.words.kind,
                  cell: ({ kind }) => link(pathWith('/portal/alerts', { kind }), kind),
                  by: ({ kind }) => kind,
                },
                {
                  key: 'party',
                  title: t.words.party,
                  cell: ({ party }) => party,
                  by: ({ party }) => party ?? '',
                },
                { key: 'number', title: t.words.number, cell: ({ number }) => number, isNumber: true },
              ],
              groups,
              { t, url, caption: t.home.alertsByKind, empty: t.home.nothing, name: 'alerts' },
            ),
          )
    }
    ${inDoubt.payments.length === 0 ? '' : section(t.home.inDoubt, paymentTable(visit, inDoubt.payments, '', 'doubt'))}
    ${waiting.payments.length === 0 ? '' : section(t.home.undecided, paymentTable(visit, [...waiting.payments].reverse(), '', 'waiting'))}
    ${dead.payments.length === 0 ? '' : section(t.home.deadLetters, paymentTable(visit, dead.payments, '', 'dead'))}
    ${section(t.home.parties, partyTable(visit, parties))} ${flowSection(visit, flow)}`;
  return { title: t.home.needsYou, main };
}

const countOf = (found: readonly unknown[], next: string | null) =>
  next === null ? found.length : `${found.length}+`;

function engineNotice({ t }: Visit, { engineAnswers, workers }: Parties): Html {
  if (engineAnswers && workers > 0) return '';
  return html`<div class="notice bad" role="alert">
    ${engineAnswers ? t.payment.noWorker : t.payment.engineAway}
  </div>`;
}

function groupsOf(
  alerts: AlertPage['alerts'],
): readonly { kind: string; party: string | null; number: number }[] {
  const groups = new Map<string, { kind: string; party: string | null; number: number }>();
  for (const { kind, party } of alerts) {
    const key = `${kind} ${party ?? ''}`;
    const group = groups.get(key) ?? { kind, party, number: 0 };
    group.number += 1;
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => b.number - a.number);
}

/** The first page of a payment system, PSP or FX provider. */
async function partyHome(visit: Visit): Promise<Page> {
  const { t, api, reader } = visit;
  const { role, party } = reader;
  const [flow, waiting, dead, parties, trials] = await Promise.all([
    api.get<Flow>(pathWith('/flow', { minutes: minutesOf(visit) })),
    role === 'fxp' ? undefined : paymentsIn(visit, 'waiting'),
    role === 'ipso' ? paymentsIn(visit, 'dead-letter') : undefined,
    api.find<Parties>('/parties?minutes=60'),
    api.find<Trials>('/endpoint-trials'),
  ]);
  const health = parties?.parties[0];
  const main = html`<h1>${t.roles[role]} ${party ?? ''}</h1>
    ${(parties?.paused ?? []).map((one) => html`<div class="notice bad">${t.parties.paused} ${one.because}</div>`)}
    <div class="tiles">
      ${waiting === undefined ? '' : tile('/portal/payments?state=waiting', countOf(waiting.payments, waiting.next), t.home.undecided)}
      ${dead === undefined ? '' : tile('/portal/payments?state=dead-letter', countOf(dead.payments, dead.next), t.home.deadLetters, mayBe(dead) ? 'bad' : '')}
    </div>
    ${dead === undefined || dead.payments.length === 0 ? '' : section(t.home.deadLetters, paymentTable(visit, dead.payments, '', 'dead'))}
    ${parties === undefined ? '' : section(t.home.yourEndpoint, health === undefined ? html`<p class="empty">${t.home.notSentYet}</p>` : healthOf(visit, health))}
    ${trials === undefined ? '' : trialsSection(visit, trials)} ${flowSection(visit, flow)}`;
  return { title: `${t.roles[role]} ${party ?? ''}`, main };
}
