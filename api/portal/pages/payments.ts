// The list of payments, and the search for one by any of its ids.
import { html } from 'hono/html';
import type { z } from '@hono/zod-openapi';
import { listedStatuses, paymentStates } from '../../../core/payments/payment-list.ts';
import { uuidV4Pattern } from '../../../core/ids.ts';
import type { paymentListSchema } from '../../payments/payment-schemas.ts';
import { reasonInWords } from '../../../core/rejections/reason-words.ts';
import { actForm } from '../acts.ts';
import { badge, link, table, uetrLink, type Column } from '../elements.ts';
import { ageOf, instantOf, money, time, type Html } from '../format.ts';
import { pathWith, Refused } from '../gateway.ts';
import { refusalOf } from '../layout.ts';
import { isOperator, type Page, type Visit } from '../visit.ts';

type PaymentPage = z.output<typeof paymentListSchema>;
export type ListedPayment = PaymentPage['payments'][number];

const filters = [
  'status',
  'state',
  'reasonCode',
  'corridor',
  'party',
  'priority',
  'currency',
  'minAmount',
  'maxAmount',
  'from',
  'to',
  'olderThan',
  'quoteId',
  'endToEndId',
  'messageIdentification',
  'cursor',
] as const;

export async function paymentsPage(visit: Visit): Promise<Page> {
  const { t, url } = visit;
  const asked = Object.fromEntries(
    filters.map((name) => [name, spelled(name, url.searchParams.get(name) ?? '')]),
  );
  const sought = (url.searchParams.get('id') ?? '').trim();
  let refusal: Html = '';
  const { payments, next } = await (sought === '' ? list(visit, asked) : search(visit, sought)).catch(
    (error: unknown) => {
      if (!(error instanceof Refused) || error.status !== 400) throw error;
      refusal = refusalOf(t, error); // the form stays, with what was entered
      return { payments: [], next: null };
    },
  );
  const main = html`<h1>${t.nav.payments}</h1>
    <section>
      <form class="filters" method="get" role="search">
        <div>
          <label for="id">${t.payments.anyId}</label
          ><input
            id="id"
            name="id"
            value="${sought}"
            size="40"
            placeholder="UETR, MsgId, EndToEndId, ${t.payments.quote}"
          />
        </div>
        <button>${t.words.find}</button>
      </form>
      <details id="filters" ${Object.values(asked).some((value) => value !== '') ? html`open` : ''}>
        <summary>${t.words.filter}</summary>
        <form class="filters" method="get">
          ${choice(visit, 'state', paymentStates)}${choice(visit, 'status', listedStatuses)}${choice(visit, 'priority', ['HIGH', 'NORM'])}
          ${(['corridor', 'party', 'reasonCode', 'currency', 'minAmount', 'maxAmount', 'from', 'to', 'olderThan'] as const).map((name) => field(visit, name))}
          <button>${t.words.show}</button> <a href="/portal/payments">${t.words.all}</a>
        </form>
      </details>
    </section>
    ${refusal}
    <section ${refusal === '' ? '' : html`hidden`}>
      ${paymentTable(visit, payments, sought === '' ? t.payments[next === null ? 'empty' : 'noneYet'] : notFound(visit, sought))}
      ${next === null ? '' : link(nextOf(url, next), t.words.next)}
      ${isOperator(visit) && asked['state'] === 'dead-letter' ? actForm(visit, 'redeliverAll') : ''}
    </section>`;
  return { title: t.nav.payments, main };
}

/** People write codes in any case, and times as the pages print them. */
function spelled(name: string, given: string): string {
  if (['corridor', 'reasonCode', 'currency'].includes(name)) return given.trim().toUpperCase();
  return name === 'from' || name === 'to' ? instantOf(given) : given.trim();
}

const list = ({ api }: Visit, asked: Readonly<Record<string, string>>) =>
  api.get<PaymentPage>(pathWith('/payments', { limit: '50', ...asked }));

/** Nothing is credited: its amounts at the destination would be untrue. */
export const isRejected = (status: string): boolean => ['RJCT', 'BLCK', 'REFUSED'].includes(status);

/** Each kind of id is asked for where the text has its form. A UETR that is not judged yet is found on its own page. */
async function search({ api }: Visit, id: string): Promise<PaymentPage> {
  const isUuid = uuidV4Pattern.test(id.toLowerCase());
  const names = isUuid ? ['uetr', 'quoteId'] : ['endToEndId', 'messageIdentification'];
  const value = isUuid ? id.toLowerCase() : id;
  const pages = await Promise.all(
    names.map((name) => api.get<PaymentPage>(pathWith('/payments', { [name]: value }))),
  );
  const payments = new Map(pages.flatMap((page) => page.payments).map((one) => [one.uetr, one]));
  return { payments: [...payments.values()], next: null };
}

function notFound({ t }: Visit, sought: string): Html {
  const uetr = sought.toLowerCase();
  if (!uuidV4Pattern.test(uetr)) return t.payments.notFound;
  return html`${t.payments.notFound} ${link(`/portal/payments/${uetr}`, t.payments.openRecord)}`;
}

export function paymentTable(
  visit: Visit,
  payments: readonly ListedPayment[],
  empty: Html,
  name?: string,
): Html {
  const { t, url } = visit;
  return table(columnsOf(visit), payments, {
    t,
    url,
    caption: t.payments.caption,
    empty,
    ...(name !== undefined && { name }),
  });
}

function columnsOf(visit: Visit): readonly Column<ListedPayment>[] {
  const { t, decimalsOf } = visit;
  return [
    { title: 'UETR', cell: ({ uetr }) => uetrLink(uetr) },
    {
      key: 'status',
      title: t.words.status,
      cell: ({ status }) => badge(status, t.statuses[status]),
      by: ({ status }) => status,
    },
    {
      key: 'state',
      title: t.words.state,
      cell: (one) => stateOf(visit, one),
      by: ({ state }) => state,
    },
    {
      key: 'reason',
      title: t.words.reason,
      cell: ({ reasonCode }) => (reasonCode === null ? '' : reasonInWords(reasonCode)),
      by: ({ reasonCode }) => reasonCode ?? '',
    },
    {
      key: 'corridor',
      title: t.words.corridor,
      cell: ({ corridor }) => corridor,
      by: ({ corridor }) => corridor ?? '',
    },
    {
      key: 'amount',
      title: t.words.sourceAmount,
      cell: ({ sourceAmount }) => money(sourceAmount, decimalsOf),
      by: ({ sourceAmount }) => sourceAmount?.amount ?? 0,
      isNumber: true,
    },
    {
      key: 'credited',
      title: t.payments.credited,
      cell: ({ status, creditorAccountAmount }) =>
        isRejected(status) ? '' : money(creditorAccountAmount, decimalsOf),
      by: ({ creditorAccountAmount }) => creditorAccountAmount?.amount ?? 0,
      isNumber: true,
    },
    {
      title: t.words.agents,
      cell: ({ debtorAgent, creditorAgent }) => `${debtorAgent ?? '?'} → ${creditorAgent ?? '?'}`,
    },
    {
      key: 'at',
      title: t.words.judged,
      cell: ({ judgedAt }) => time(judgedAt),
      by: ({ judgedAt }) => judgedAt,
    },
    {
      key: 'age',
      title: t.words.age,
      cell: ({ judgedAt, decidedAt }) => (decidedAt === null ? ageOf(judgedAt) : ''),
      by: ({ judgedAt }) => -Date.parse(judgedAt),
      isNumber: true,
    },
  ];
}

const stateOf = ({ t }: Visit, { state, isContradicted }: ListedPayment): Html =>
  html`${badge(state)} ${isContradicted ? badge('contradicted', t.payments.contradicted) : ''}`;

function choice({ t, url }: Visit, name: 'state' | 'status' | 'priority', values: readonly string[]): Html {
  const given = url.searchParams.get(name);
  return html`<div>
    <label for="${name}">${t.fields[name]}</label
    ><select id="${name}" name="${name}">
      <option value="">${t.words.any}</option>
      ${values.map((value) => html`<option ${value === given ? html`selected` : ''}>${value}</option>`)}
    </select>
  </div>`;
}

function field({ t, url }: Visit, name: keyof Visit['t']['fields']): Html {
  return html`<div>
    <label for="${name}">${t.fields[name]}</label
    ><input id="${name}" name="${name}" size="12" value="${url.searchParams.get(name) ?? ''}" />
  </div>`;
}

/** The next page of the API, with its cursor, at the same address of the portal. */
function nextOf(url: URL, next: string): string {
  const there = new URL(url);
  there.searchParams.set('cursor', new URL(next).searchParams.get('cursor') ?? '');
  return `${there.pathname}${there.search}`;
}
