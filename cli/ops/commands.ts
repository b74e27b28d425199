// The commands of `isthmus ops` (docs/operations/on-duty.md). Each sends requests to the gateway over HTTP as
// an operator, and prints the answer. The commands must not read the gateway's database.
import { uuidPattern } from '../../core/ids.ts';
import type { CommandContext } from '../command.ts';
import { UsageError } from '../errors.ts';
import { read, type Gateway, type Query } from '../gateway.ts';
import type {
  AlertPage,
  AlertWithEntries,
  Enquiry,
  PaymentPage,
  Redeliveries,
  Redelivery,
  ShownAlert,
  ShownEntry,
  ShownEvidence,
  ShownPause,
  ShownPayment,
  ShownSubmission,
  SubmissionPage,
} from './answers.ts';
import { connectGateway, tell, type JsonOption } from './connection.ts';
import { printHindrances } from './held-up.ts';
import { printAlert, printAlerts, printEntries, printPayments, printSubmissions, shortTime } from './show.ts';
import { printParties } from './show-parties.ts';
import { printEvidence } from './show-payment.ts';

export interface ListOptions extends JsonOption {
  /** Maximum number of items. The command fetches pages until it has that many. */
  readonly limit: string;
}

const pageSize = 500; // maximum that the gateway allows

/** Fetches and prints a list. With --json, it prints each page unchanged. */
async function listAll<Item>(
  context: CommandContext,
  { path, query, options }: { readonly path: string; readonly query: Query; readonly options: ListOptions },
  itemsOf: (page: never) => readonly Item[],
  print: (items: readonly Item[]) => void,
): Promise<void> {
  const { terminal } = context;
  const gateway = await connectGateway(context);
  const all: Item[] = [];
  const most = limitOf(options);
  let next: string | null = null;
  do {
    const cursor = next === null ? undefined : (new URL(next).searchParams.get('cursor') ?? undefined);
    const limit = String(Math.min(most - all.length, pageSize));
    const text = await gateway.get(path, { ...query, limit, cursor });
    if (options.json) terminal.line(text);
    const page = read(text) as { readonly next: string | null };
    all.push(...itemsOf(page as never));
    ({ next } = page);
  } while (next !== null && all.length < most);
  if (options.json) return;
  print(all);
  if (next !== null) terminal.line(terminal.paint('muted', 'There are more. Show more with --limit.'));
}

export function listPayments(context: CommandContext, query: Query, options: ListOptions): Promise<void> {
  const { terminal } = context;
  const print = (payments: readonly ShownPayment[]) => {
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
  };
  const itemsOf = ({ payments }: PaymentPage) => payments;
  return listAll(context, { path: '/payments', query, options }, itemsOf, print);
}

export function listSubmissions(context: CommandContext, query: Query, options: ListOptions): Promise<void> {
  const { terminal } = context;
  const print = (submissions: readonly ShownSubmission[]) => {
    if (submissions.length === 0) terminal.line(nothingLike('submission', query));
    else printSubmissions(terminal, submissions);
    if (['from', 'messageIdentification', 'subjectId'].every((name) => query[name] === undefined))
      terminal.line(terminal.paint('muted', 'Of the last 24 hours; --from <time> looks further back.'));
  };
  const itemsOf = ({ submissions }: SubmissionPage) => submissions;
  return listAll(context, { path: '/submissions', query, options }, itemsOf, print);
}

export function listAlerts(context: CommandContext, query: Query, options: ListOptions): Promise<void> {
  const { terminal } = context;
  const print = (alerts: readonly ShownAlert[]) => {
    if (alerts.length > 0) {
      printAlerts(terminal, alerts);
      const where = 'What each kind means, and what to do: docs/operations/alerts.md.';
      terminal.line(terminal.paint('muted', where));
      return;
    }
    terminal.line(nothingLike('alert', query));
  };
  const itemsOf = ({ alerts }: AlertPage) => alerts;
  return listAll(context, { path: '/alerts', query, options }, itemsOf, print);
}

/** Returns the message for an empty list. It names the filters, so that the user notices a mistyped one. */
function nothingLike(what: 'payment' | 'submission' | 'alert', query: Query): string {
  const used = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${inWords(name)} ${value}`],
  );
  const which = used.length === 0 ? `No ${what}` : `No ${what} with ${used.join(', ')}`;
  return what === 'alert' && query['state'] === undefined ? `${which} is open or taken.` : `${which}.`;
}

/** Turns a parameter name such as `minAmount` into words: `min amount`. */
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
    print: printParties,
  });
}

export async function show(context: CommandContext, id: string, options: JsonOption): Promise<void> {
  if (!uuidPattern.test(id)) {
    const path = `/alerts/${alertIdOf(id)}`;
    await tell(context, options, {
      ask: (gateway) => gateway.get(path),
      print: (terminal, alert: AlertWithEntries) => printAlert(terminal, alert, alert.entries),
    });
    return;
  }
  await tell(context, options, {
    ask: (gateway) => gateway.get(`/payments/${id}`),
    print: async (terminal, shown: ShownEvidence, gateway) => {
      const { payments } = read(await gateway.get('/payments', { uetr: id })) as PaymentPage;
      printEvidence(terminal, shown, { listed: payments[0], paused: await pausedFor(gateway, shown) });
    },
  });
}

const learntWithinMs = 3_000; // within this time, every worker learns that a party was paused or resumed

/**
 * Finds the pause of the destination that caused the refusal of the payment. Returns an empty list for other
 * payments.
 */
async function pausedFor(
  gateway: Gateway,
  { decision, events }: ShownEvidence,
): Promise<readonly ShownPause[]> {
  const party = events.find(({ kind }) => kind === 'payment.destination-paused')?.party ?? undefined;
  if (decision === null || party === undefined) return [];
  const from = new Date(Date.parse(decision.decidedAt) - learntWithinMs).toISOString();
  const text = await gateway.get('/pauses', { party, from, to: decision.decidedAt });
  return read(text) as readonly ShownPause[];
}

function alertIdOf(id: string): string {
  if (/^[1-9]\d*$/.test(id)) return id;
  throw new UsageError(`${id}: name a payment by its UETR, or an alert by its id.`);
}

/** An action of an operator on an alert or a payment. */
export interface Act {
  readonly action: string;
  readonly id: string;
  readonly note: string | undefined;
  /** For a payment: the kinds of alerts to close. */
  readonly kinds?: readonly string[];
  readonly all?: true;
  /** For a payment: the id of the last alert that the operator has seen. */
  readonly seen?: string;
}

/**
 * Takes, closes or reopens an alert, or adds a note to it. For a payment, it does this to the alerts of the
 * payment.
 */
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
    print: (terminal, answer: AlertWithEntries | readonly ShownEntry[]) => {
      const entries = 'alertId' in answer ? answer.entries : answer;
      if ('alertId' in answer) printAlert(terminal, answer, entries);
      else printEntries(terminal, entries);
    },
  });
}

export function redeliverOne(
  context: CommandContext,
  { uetr, kinds }: { readonly uetr: string; readonly kinds: readonly string[] },
  options: JsonOption,
): Promise<void> {
  return tell(context, options, {
    ask: (gateway) => gateway.post(`/payments/${uetr}/redeliveries`, kinds.length === 0 ? {} : { kinds }),
    print: (terminal, { kinds: due, hindrances }: Redelivery) => {
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

const mostDead = 1_000; // maximum number of dead letters that the gateway accepts per request

/** Lists the dead letters. With --yes, it asks the gateway to send them again. */
export async function redeliverDead(context: CommandContext, options: DeadOptions): Promise<void> {
  const { kinds, party, reason: closedReason, yes } = options;
  const limit = limitOf(options, mostDead);
  const filter = { kinds: kinds.length === 0 ? undefined : kinds, party, closedReason, limit };
  await tell(context, options, {
    ask: (gateway) => gateway.post('/redeliveries', { preview: yes !== true, ...filter }),
    print: (terminal, { deadLetters, redelivered, total, hindrances }: Redeliveries) => {
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
    print: (terminal, { asked, hindrances }: Enquiry) => {
      if (!asked) terminal.line('It was asked within the last 5 s, and is not asked twice.');
      else
        terminal.line(`✓ on record: its destination is to be asked. ops show ${uetr} says what it answers.`);
      printHindrances(terminal, hindrances);
    },
  });
}
