// One payment: what came, what went, who decided, what is owed, and what can be done now.
import { html } from 'hono/html';
import { reasonInWords } from '../../../core/rejections/reason-words.ts';
import { badge, facts, link, ruleLink, section, table, type Column } from '../elements.ts';
import { countdown, duration, money, time, type Html } from '../format.ts';
import { pathWith } from '../gateway.ts';
import { ownFirstParagraph } from '../markdown.ts';
import { isOperator, type Page, type Visit } from '../visit.ts';
import type { AlertPage } from './alerts.ts';
import { isRejected, type ListedPayment } from './payments.ts';
import { lanes, type Evidence } from './lanes.ts';
import { alertsOf, alertsSection, refusedMessages, whatToDo, whatWasDone } from './payment-case.ts';

export async function paymentPage(visit: Visit): Promise<Page> {
  const { t, api, params } = visit;
  const uetr = params['uetr'] ?? '';
  const evidence = await api.get<Evidence>(`/payments/${encodeURIComponent(uetr)}`);
  const [listed, found] = await Promise.all([
    api.find<{ readonly payments: readonly ListedPayment[] }>(pathWith('/payments', { uetr })),
    isOperator(visit) ? api.get<AlertPage>(pathWith('/alerts', alertsOf(uetr))) : undefined,
  ]);
  const summary = listed?.payments[0];
  const alerts = found?.alerts ?? [];
  const main = html`<h1>${t.payment.title} <span class="id">${evidence.uetr}</span></h1>
    <p>
      ${badge(evidence.status, t.statuses[evidence.status])}
      ${summary?.isContradicted === true ? badge('contradicted', t.payments.contradicted) : ''}
      <a href="/portal/payments/${uetr}/evidence" download="payment-${uetr}.json">${t.payment.download}</a>
      ${temporalLink(visit, uetr)}
    </p>
    ${section(t.payment.about, about(visit, evidence, summary))} ${alertsSection(visit, alerts)}
    ${waits(visit, evidence)}
    ${isOperator(visit) ? whatToDo(visit, evidence, { alerts, isWhole: found?.next == null }) : ''}
    ${await decisionOf(visit, evidence)}
    ${section(
      t.payment.picture,
      html`<div class="scroll lanes" tabindex="0" role="region" aria-label="${t.payment.picture}">
          ${lanes(visit, evidence)}
        </div>
        ${messageTable(visit, evidence)}`,
    )}
    ${refusedMessages(visit, evidence)} ${section(t.payment.deliveries, deliveriesOf(visit, evidence))}
    ${differences(visit, evidence)} ${isOperator(visit) ? whatWasDone(visit, evidence) : ''}`;
  return { title: `${t.payment.title} ${uetr.slice(0, 8)}`, main };
}

function temporalLink(visit: Visit, uetr: string): Html {
  const { t, temporalUi, namespace } = visit;
  if (temporalUi === undefined || !isOperator(visit)) return '';
  const id = encodeURIComponent(`pacs008/${uetr}`);
  return html` <a href="${temporalUi}/namespaces/${namespace}/workflows/${id}" rel="noreferrer"
    >${t.payment.inTemporal}</a
  >`;
}

function about({ t, decimalsOf }: Visit, evidence: Evidence, listed: ListedPayment | undefined): Html {
  return facts([
    [t.words.corridor, evidence.corridor],
    [t.words.systems, `${evidence.sourceClearingSystem} → ${evidence.destinationClearingSystem ?? '?'}`],
    [t.words.agents, listed && `${listed.debtorAgent ?? '?'} → ${listed.creditorAgent ?? '?'}`],
    ['FXP', listed?.fxp],
    [t.words.sourceAmount, money(listed?.sourceAmount, decimalsOf)],
    [t.words.destinationAmount, money(listed?.destinationAmount, decimalsOf)],
    [
      evidence.status === 'ACCC' ? t.payment.wasCredited : t.words.credited,
      isRejected(evidence.status) ? '' : money(listed?.creditorAccountAmount, decimalsOf),
    ],
    ['EndToEndId', listed?.endToEndId],
    [t.payments.quote, evidence.quoteId],
    [t.words.priority, evidence.priority],
    [t.words.received, time(evidence.receivedAt)],
    [t.words.judged, time(evidence.judgedAt)],
    [t.payment.accepted, time(evidence.acceptanceDateTime)],
    [t.payment.deadline, time(evidence.deadlineAt)],
  ]);
}

function waits({ t }: Visit, { waitsFor, hindrances, deliveries }: Evidence): Html {
  const held = [
    ...(hindrances?.engineAnswers === false ? [t.payment.engineAway] : []),
    ...(hindrances?.workers === 0 ? [t.payment.noWorker] : []),
    ...(hindrances?.heldUp ?? []).map(({ kind, party }) => `${kind} → ${party}: ${t.payment.heldUp}`),
    ...(hindrances?.noUsableAddress ?? []).map(
      ({ kind, party }) => `${kind} → ${party}: ${t.payment.noAddress}`,
    ),
  ];
  if (waitsFor === null && held.length === 0) return '';
  const asked = deliveries.find(({ kind }) => kind === 'instruction');
  const times =
    asked && asked.attempts.length + asked.attemptsLeftOut.reduce((sum, one) => sum + one.number, 0);
  return section(
    t.payment.next,
    html`${waitsFor === null ? '' : html`<p>${t.waits[waitsFor.what]} ${waitsFor.at === null ? '' : countdown(waitsFor.at)}</p>`}
    ${waitsFor === null || times === undefined ? '' : html`<p>${t.payment.asked} ${times}</p>`}
    ${
      held.length === 0
        ? ''
        : html`<ul>
            ${held.map((one) => html`<li>${one}</li>`)}
          </ul>`
    }`,
  );
}

async function decisionOf({ t, api }: Visit, { decision }: Evidence): Promise<Html> {
  if (decision === null) return '';
  const { status, reasonCode, ruleId, decidedBy, decidedAt } = decision;
  const rule = ruleId === null ? undefined : await ownFirstParagraph(api, `/rules/${ruleId}`);
  return section(
    t.payment.decision,
    html`<p>${badge(status, t.statuses[status])} ${t.deciders[decidedBy]}, ${time(decidedAt)}.</p>
      ${facts([
        [t.words.reason, reasonCode === null ? undefined : reasonInWords(reasonCode)],
        [t.words.rule, ruleId === null ? undefined : html`${ruleLink(ruleId)}: ${rule ?? ''}`],
      ])}`,
  );
}

function messageTable({ t, url }: Visit, { messages, messagesLeftOut, uetr }: Evidence): Html {
  const begin = messages[0]?.at;
  return html`<details id="messages" open>
      <summary>${t.payment.messages}</summary>
      ${table(
        [
          { title: t.words.at, cell: ({ at }) => time(at) },
          {
            title: '+',
            cell: ({ at }) => (begin === undefined ? '' : duration(Date.parse(at) - Date.parse(begin))),
            isNumber: true,
          },
          { title: t.words.message, cell: ({ message }) => message },
          {
            title: t.words.direction,
            cell: ({ direction, party }) =>
              direction === 'in' ? `${party} → Isthmus` : `Isthmus → ${party}`,
          },
          {
            title: t.words.status,
            cell: ({ status, reasonCode }) =>
              status === null ? '' : html`${badge(status)} ${reasonCode ?? ''}`,
          },
          {
            title: 'MsgId',
            cell: ({ messageIdentification }) => html`<code>${messageIdentification}</code>`,
          },
          {
            title: t.words.bytes,
            cell: ({ href, messageId, size, isChanged }) =>
              html`${href === null ? `${size}` : link(`/portal/payments/${uetr}/messages/${messageId}`, `${size}`)}${isChanged ? badge('changed', t.payment.changed) : ''}`,
            isNumber: true,
          },
        ],
        messages,
        { t, url, caption: t.payment.messagesCaption, empty: t.payment.noMessages },
      )}
    </details>
    ${messagesLeftOut.length === 0 ? '' : html`<p class="quiet">${t.payment.leftOut} ${messagesLeftOut.reduce((sum, one) => sum + one.number, 0)}</p>`}`;
}

function deliveriesOf({ t, url }: Visit, { deliveries }: Evidence): Html {
  if (deliveries.length === 0) return html`<p class="empty">${t.payment.noDeliveries}</p>`;
  return html`${deliveries.map(
    (one) =>
      html`<h3>${one.kind} → ${one.party} ${badge(stateOf(one))}</h3>
        <p>
          ${one.deliveredAt === null ? '' : html`${t.payment.takenAt} ${time(one.deliveredAt)}. ${stateOf(one) === 'taken' ? t.payment.noOutcome : ''}`}
          ${one.nextDueAt === null ? '' : html`${t.payment.nextAttempt} ${countdown(one.nextDueAt)}.`}
          ${one.closedReason === null ? '' : html`${t.payment.closed} ${one.closedReason}.`}
        </p>
        ${table(
          [
            { title: '#', cell: ({ attempt }) => attempt, isNumber: true },
            { title: t.words.at, cell: ({ startedAt }) => time(startedAt) },
            { title: t.words.took, cell: ({ durationMs }) => duration(durationMs), isNumber: true },
            { title: t.words.outcome, cell: ({ outcome }) => outcome ?? t.payment.running },
            { title: 'HTTP', cell: ({ httpStatus, errorClass }) => httpStatus ?? errorClass },
            { title: t.words.address, cell: ({ url: sentTo }) => sentTo },
            { title: t.words.answer, cell: ({ responseExcerpt }) => responseExcerpt },
          ],
          one.attempts,
          { t, url, caption: `${t.payment.attempts}: ${one.kind}`, empty: t.payment.noAttempt },
        )}`,
  )}`;
}

function stateOf({ deliveredAt, closedAt, kind }: Evidence['deliveries'][number]): string {
  if (deliveredAt !== null) return kind === 'instruction' && closedAt === null ? 'taken' : 'done';
  if (closedAt === null) return 'waiting';
  return kind === 'instruction' ? 'done' : 'dead-letter';
}

function differences({ t, url }: Visit, { difference }: Evidence): Html {
  if (difference === null) return '';
  const { fields } = difference;
  const value = (text: string | null | undefined, name: string) =>
    text ? html`<span class="${name}">${text}</span>` : '';
  // the values are for those who may read both messages
  const hasValues = fields.some(({ received, forwarded }) => (received ?? forwarded ?? null) !== null);
  const columns: readonly Column<(typeof fields)[number]>[] = [
    { title: t.words.change, cell: ({ change }) => change },
    {
      title: t.payment.field,
      cell: ({ receivedXpath, forwardedXpath }) => fieldOf(receivedXpath, forwardedXpath),
    },
    ...(hasValues
      ? ([
          { title: t.payment.before, cell: ({ received }) => value(received, 'before') },
          { title: t.payment.after, cell: ({ forwarded }) => value(forwarded, 'after') },
        ] satisfies Column<(typeof fields)[number]>[])
      : []),
    {
      title: t.words.rule,
      cell: ({ ruleId }) => (ruleId === null ? '' : ruleLink(ruleId)),
    },
  ];
  const options = { t, url, caption: t.payment.differenceCaption, empty: t.payment.same };
  return section(t.payment.difference, table(columns, fields, options), 'difference');
}

const short = (xpath: string | null) => (xpath === null ? '–' : xpath.replace(/^\/Document\/\w+\//, ''));
const fieldOf = (received: string | null, forwarded: string | null): Html =>
  received === forwarded
    ? html`<code>${short(received)}</code>`
    : html`<code>${short(received)}</code> → <code>${short(forwarded)}</code>`;

export async function sendMessage({ api, params }: Visit): Promise<Response> {
  const [uetr, messageId] = [params['uetr'] ?? '', params['messageId'] ?? ''].map(encodeURIComponent);
  return api.send(`/payments/${uetr}/messages/${messageId}`);
}

/** The record with the bytes of every message that its reader may see. */
export async function sendEvidence({ api, params }: Visit): Promise<Response> {
  const uetr = params['uetr'] ?? '';
  const record = await api.get<Evidence>(`/payments/${encodeURIComponent(uetr)}`);
  const readable = [...record.messages, ...record.refusedMessages].filter(({ href }) => href !== null);
  const contents = await Promise.all(
    readable.map(async ({ messageId, href }) => {
      const answer = await api.send(href ?? '');
      const bytes = Buffer.from(await answer.arrayBuffer());
      return [
        messageId,
        answer.ok ? { base64: bytes.toString('base64') } : { unreadable: answer.status },
      ] as const;
    }),
  );
  const text = JSON.stringify(
    { readAt: new Date().toISOString(), record, contents: Object.fromEntries(contents) },
    null,
    2,
  );
  return new Response(text, {
    headers: {
      'content-type': 'application/json',
      'content-disposition': `attachment; filename="payment-${uetr.replaceAll(/[^\w-]/g, '')}.json"`,
    },
  });
}
