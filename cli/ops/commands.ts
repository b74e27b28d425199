// The commands of `isthmus ops`: each asks the gateway over HTTP, as any operator may (docs/operations/on-duty.md), and
// shows the answer. They must not look into the gateway's database.
import { z } from 'zod';
import { eventKinds } from '../../core/operations/event-kinds.ts';
import { uuidPattern } from '../../core/ids.ts';
import type { CommandContext } from '../command.ts';
import { UsageError } from '../errors.ts';
import { read, type Gateway, type Query } from '../gateway.ts';
import {
  alertPage,
  alertWithEntries,
  enquiry,
  entryList,
  evidence,
  parties,
  paymentPage,
  recordedPauses,
  redeliveries,
  redelivery,
  submissionPage,
  type ShownEntry,
  type ShownEvidence,
  type ShownPause,
} from './answers.ts';
import { connectGateway, eachPage, tell, type JsonOption } from './connection.ts';
import { printHindrances } from './held-up.ts';
import { printAlert, printAlerts, printEntries, printPayments, printSubmissions, shortTime } from './show.ts';
import { printParties } from './show-parties.ts';
import { printEvidence } from './show-payment.ts';

export interface ListOptions extends JsonOption {
  /** The maximum number of items; pages are fetched until it is reached. */
  readonly limit: string;
}

/** Reads and prints a list: with --json each page unchanged. */
async function listAll<Page extends { readonly next: string | null }, Item>(
  context: CommandContext,
  { path, query, options }: { readonly path: string; readonly query: Query; readonly options: ListOptions },
  {
    shape,
    itemsOf,
    print,
  }: {
    readonly shape: z.ZodType<Page>;
    readonly itemsOf: (page: Page) => readonly Item[];
    readonly print: (items: readonly Item[]) => void;
  },
): Promise<void> {
  const { terminal } = context;
  const gateway = await connectGateway(context);
  const items: Item[] = [];
  const more = await eachPage(gateway, path, { query, limit: limitOf(options) }, (text) => {
    if (options.json) terminal.line(text);
    const page = read(shape, text);
    items.push(...itemsOf(page));
    return { next: page.next, count: itemsOf(page).length };
  });
  if (options.json) return;
  print(items);
  if (more) terminal.line(terminal.paint('muted', 'There are more. Show more with --limit.'));
}

export async function listPayments(
  context: CommandContext,
  query: Query,
  options: ListOptions,
): Promise<void> {
  const { terminal } = context;
  await listAll(
    context,
    { path: '/payments', query, options },
    {
      shape: paymentPage,
      itemsOf: ({ payments }) => payments,
      print: (payments) => {
        if (payments.length > 0) {
          printPayments(terminal, payments);
          return;
        }
        terminal.line(nothingLike('payment', query));
        const { uetr } = query;
        const where = uetr === undefined ? 'ops submissions --state stored' : `ops show ${uetr}`;
        terminal.line(
          `A payment that is stored but not yet judged is not listed and may still go out; ${where} finds it.`,
        );
      },
    },
  );
}

export async function listSubmissions(
  context: CommandContext,
  query: Query,
  options: ListOptions,
): Promise<void> {
  const { terminal } = context;
  await listAll(
    context,
    { path: '/submissions', query, options },
    {
      shape: submissionPage,
      itemsOf: ({ submissions }) => submissions,
      print: (submissions) => {
        if (submissions.length === 0) terminal.line(nothingLike('submission', query));
        else printSubmissions(terminal, submissions);
        if (query['from'] === undefined && query['messageIdentification'] === undefined)
          terminal.line(terminal.paint('muted', 'Of the last 24 hours; --from <time> looks further back.'));
      },
    },
  );
}

export async function listAlerts(context: CommandContext, query: Query, options: ListOptions): Promise<void> {
  const { terminal } = context;
  await listAll(
    context,
    { path: '/alerts', query, options },
    {
      shape: alertPage,
      itemsOf: ({ alerts }) => alerts,
      print: (alerts) => {
        if (alerts.length > 0) {
          printAlerts(terminal, alerts);
          terminal.line(
            terminal.paint('muted', 'What each kind means, and what to do: docs/operations/alerts.md.'),
          );
          return;
        }
        terminal.line(nothingLike('alert', query));
        const { kind } = query;
        if (kind !== undefined && !isRaised(kind))
          terminal.line(
            `This version raises no alert of kind ${kind}: docs/operations/alerts.md has those that it does.`,
          );
      },
    },
  );
}

/** Names the filters, so that the user sees a mistyped one. */
function nothingLike(what: 'payment' | 'submission' | 'alert', query: Query): string {
  const used = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${inWords(name)} ${value}`],
  );
  const which = used.length === 0 ? `No ${what}` : `No ${what} with ${used.join(', ')}`;
  return what === 'alert' && query['state'] === undefined ? `${which} is open or taken.` : `${which}.`;
}

/** Whether this version raises alerts of that kind. A mistyped kind finds nothing, which would look like good news. */
const isRaised = (kind: string): boolean =>
  Object.entries(eventKinds).some(([name, severity]) => name === kind && severity !== 'info');

/** `minAmount`: min amount */
const inWords = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function limitOf({ limit }: ListOptions, most = 100_000): number {
  const count = Number(limit);
  if (Number.isInteger(count) && count >= 1 && count <= most) return count;
  throw new UsageError(`--limit ${limit}: it takes a whole number from 1 to ${most}.`);
}

export function listParties(
  context: CommandContext,
  { minutes, ...options }: JsonOption & { readonly minutes: string },
): Promise<void> {
  return tell(context, options, {
    ask: (gateway) => gateway.get('/parties', { minutes }),
    shape: parties,
    print: printParties,
  });
}

export async function show(context: CommandContext, id: string, options: JsonOption): Promise<void> {
  if (!uuidPattern.test(id)) {
    const path = `/alerts/${alertIdOf(id)}`;
    await tell(context, options, {
      ask: (gateway) => gateway.get(path),
      shape: alertWithEntries,
      print: (terminal, alert) => printAlert(terminal, alert, alert.entries),
    });
    return;
  }
  await tell(context, options, {
    ask: (gateway) => gateway.get(`/payments/${id}`),
    shape: evidence,
    print: async (terminal, shown, gateway) => {
      const { payments } = read(paymentPage, await gateway.get('/payments', { uetr: id }));
      printEvidence(terminal, shown, { listed: payments[0], paused: await pausedFor(gateway, shown) });
    },
  });
}

const learntWithinMs = 3_000; // by then every worker knows that a party was paused or resumed

/** If the payment was refused because its destination was paused: that pause. */
async function pausedFor(
  gateway: Gateway,
  { decision, events }: ShownEvidence,
): Promise<readonly ShownPause[]> {
  const party = events.find(({ kind }) => kind === 'payment.destination-paused')?.party ?? undefined;
  if (decision === null || party === undefined) return [];
  const from = new Date(Date.parse(decision.decidedAt) - learntWithinMs).toISOString();
  return read(recordedPauses, await gateway.get('/pauses', { party, from, to: decision.decidedAt }));
}

function alertIdOf(id: string): string {
  if (/^[1-9]\d*$/.test(id)) return id;
  throw new UsageError(`${id}: name a payment by its UETR, or an alert by its id.`);
}

/** An action on an alert or a payment. */
export interface Act {
  readonly action: string;
  readonly id: string;
  readonly note: string | undefined;
  /** For a payment: the kinds of alerts to close. */
  readonly kinds?: readonly string[];
  readonly all?: true;
  /** For a payment: the last alert that the operator has looked at. */
  readonly seen?: string;
}

/** Runs take, note, close or reopen on an alert, or on a payment with all its alerts. */
export async function act(
  context: CommandContext,
  { action, id, note, kinds = [], all, seen }: Act,
  options: JsonOption,
): Promise<void> {
  if (note === undefined && action !== 'take')
    throw new UsageError(`--note is missing: ${action} needs a note, for the next shift.`);
  const isPayment = uuidPattern.test(id);
  if (!isPayment && (kinds.length > 0 || all === true || seen !== undefined)) {
    throw new UsageError(
      `${id} is one alert: --kind, --all and --seen are for the case of a payment, by its UETR.`,
    );
  }
  const path = isPayment ? `/payments/${id}/entries` : `/alerts/${alertIdOf(id)}/entries`;
  const body = { action, note, kinds: kinds.length === 0 ? undefined : kinds, all, seen };
  await tell(context, options, {
    ask: (gateway) => gateway.post(path, body),
    shape: z.union([entryList, alertWithEntries]),
    print: (terminal, answer) => {
      const entries = Array.isArray(answer) ? answer : answer.entries;
      if (Array.isArray(answer)) printEntries(terminal, entries);
      else printAlert(terminal, answer, entries);
      const holders = action === 'close' ? takenFrom(entries) : [];
      if (holders.length > 0)
        terminal.line(
          terminal.paint('warning', `! ${holders.join(', ')} had taken it: tell them that it is closed.`),
        );
    },
  });
}

/** Other operators who had taken one of the alerts that were just closed. */
function takenFrom(entries: readonly ShownEntry[]): readonly string[] {
  const closed = entries.at(-1);
  const about = new Set(closed?.alerts.map(({ alertId }) => alertId));
  const holders = new Map<string, string>();
  for (const { action, by, alerts } of entries.slice(0, -1)) {
    for (const { alertId } of alerts) {
      if (action === 'take') holders.set(alertId, by);
      else if (action !== 'note') holders.delete(alertId);
    }
  }
  const others = [...holders].filter(([alertId, by]) => about.has(alertId) && by !== closed?.by);
  return [...new Set(others.map(([, by]) => by))];
}

export function redeliverOne(
  context: CommandContext,
  { uetr, kinds }: { readonly uetr: string; readonly kinds: readonly string[] },
  options: JsonOption,
): Promise<void> {
  return tell(context, options, {
    ask: (gateway) => gateway.post(`/payments/${uetr}/redeliveries`, kinds.length === 0 ? {} : { kinds }),
    shape: redelivery,
    print: (terminal, { kinds: due, hindrances }) => {
      terminal.line(`✓ due again: ${due.join(', ')}. ops show ${uetr} says how it goes.`);
      printHindrances(terminal, hindrances);
    },
  });
}

export interface DeadOptions extends JsonOption {
  readonly kinds: readonly string[];
  readonly party?: string;
  readonly reason?: string;
  readonly limit: string;
  readonly yes?: true;
}

const mostDead = 1_000; // maximum per request of the gateway

/** Lists the dead letters; with --yes, redelivers them. */
export async function redeliverDead(context: CommandContext, options: DeadOptions): Promise<void> {
  const { kinds, party, reason: closedReason, yes } = options;
  const limit = limitOf(options, mostDead);
  const filter = { kinds: kinds.length === 0 ? undefined : kinds, party, closedReason, limit };
  await tell(context, options, {
    ask: (gateway) => gateway.post('/redeliveries', { preview: yes !== true, ...filter }),
    shape: redeliveries,
    print: (terminal, { deadLetters, redelivered, total, hindrances }) => {
      for (const { subjectId, kind, party: to, closedReason: why, closedAt, bookPage } of deadLetters) {
        const page = bookPage === null ? '' : `  ${bookPage.book} of ${bookPage.day}, page ${bookPage.page}`;
        terminal.line(`  ${subjectId}  ${kind.padEnd(12)}  ${to}  ${why} ${shortTime(closedAt)}${page}`);
      }
      if (total === '0') terminal.line('No dead letter matches.');
      else if (yes) terminal.line(`✓ ${redelivered} of ${total} are due again`);
      else terminal.line(`${deadLetters.length} of ${total} would be delivered again: add --yes.`);
      if (deadLetters.length > 0) printHindrances(terminal, hindrances);
    },
  });
}

export function enquire(context: CommandContext, uetr: string, options: JsonOption): Promise<void> {
  return tell(context, options, {
    ask: (gateway) => gateway.post(`/payments/${uetr}/enquiries`, {}),
    shape: enquiry,
    print: (terminal, { asked, hindrances }) => {
      if (!asked) terminal.line('It was asked within the last 5 s, and is not asked twice.');
      else
        terminal.line(`✓ on record: its destination is to be asked. ops show ${uetr} says what it answers.`);
      printHindrances(terminal, hindrances);
    },
  });
}
