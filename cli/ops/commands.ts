// The commands of `isthmus ops`: each asks the gateway over HTTP, as any operator may (docs/operations/on-duty.md), and
// shows the answer. They must not look into the gateway's database.
import type { z } from 'zod';
import { eventKinds } from '../../core/operations/event-kinds.ts';
import { uuidPattern } from '../../core/ids.ts';
import type { CommandContext } from '../command.ts';
import { UsageError } from '../errors.ts';
import {
  alertPage,
  alertWithEntries,
  enquiry,
  entryList,
  evidence,
  parties,
  paymentPage,
  read,
  recordedPauses,
  redeliveries,
  redelivery,
  submissionPage,
  type ShownAlert,
  type ShownEntry,
  type ShownEvidence,
  type ShownPause,
  type ShownPayment,
  type ShownSubmission,
} from './answers.ts';
import { connectGateway, type Gateway, type Query } from './connection.ts';
import { printHindrances } from './held-up.ts';
import { eachPage } from './pages.ts';
import { printAlert, printAlerts, printEntries, printPayments, printSubmissions, shortTime } from './show.ts';
import { printParties } from './show-parties.ts';
import { printEvidence } from './show-payment.ts';

export interface JsonOption {
  /** Print the answer unchanged. */
  readonly json?: true;
}

export interface ListOptions extends JsonOption {
  /** The maximum number of items; pages are fetched until it is reached. */
  readonly limit: string;
}

export async function listPayments(
  context: CommandContext,
  query: Query,
  options: ListOptions,
): Promise<void> {
  const { terminal } = context;
  const gateway = await connectGateway(context);
  const payments: ShownPayment[] = [];
  const more = await eachPage(gateway, '/payments', { query, limit: limitOf(options) }, (text) => {
    if (options.json) terminal.line(text);
    const page = read(paymentPage, text);
    payments.push(...page.payments);
    return { next: page.next, count: page.payments.length };
  });
  if (options.json) return;
  if (payments.length === 0) {
    terminal.line(nothingLike('payment', query));
    const { uetr } = query;
    const where = uetr === undefined ? 'ops submissions --state stored' : `ops show ${uetr}`;
    terminal.line(
      `A payment that is stored but not yet judged is not listed and may still go out; ${where} finds it.`,
    );
  } else printPayments(terminal, payments);
  if (more) terminal.line(terminal.paint('muted', thereAreMore));
}

const lookingOn = 'Looking further back.'; // printed after an empty page; an older page may have matches

export async function listSubmissions(
  context: CommandContext,
  query: Query,
  options: ListOptions,
): Promise<void> {
  const { terminal } = context;
  const gateway = await connectGateway(context);
  const submissions: ShownSubmission[] = [];
  const more = await eachPage(gateway, '/submissions', { query, limit: limitOf(options) }, (text) => {
    if (options.json) terminal.line(text);
    const page = read(submissionPage, text);
    submissions.push(...page.submissions);
    if (page.next !== null && page.submissions.length === 0 && !options.json) terminal.line(lookingOn);
    return { next: page.next, count: page.submissions.length };
  });
  if (options.json) return;
  if (submissions.length === 0) terminal.line(nothingLike('submission', query));
  else printSubmissions(terminal, submissions);
  if (query['from'] === undefined && query['messageIdentification'] === undefined)
    terminal.line(terminal.paint('muted', 'Of the last 24 hours; --from <time> looks further back.'));
  if (more) terminal.line(terminal.paint('muted', thereAreMore));
}

export async function listAlerts(context: CommandContext, query: Query, options: ListOptions): Promise<void> {
  const { terminal } = context;
  const gateway = await connectGateway(context);
  const alerts: ShownAlert[] = [];
  const more = await eachPage(gateway, '/alerts', { query, limit: limitOf(options) }, (text) => {
    if (options.json) terminal.line(text);
    const page = read(alertPage, text);
    alerts.push(...page.alerts);
    return { next: page.next, count: page.alerts.length };
  });
  if (options.json) return;
  if (alerts.length === 0) {
    terminal.line(nothingLike('alert', query));
    const { kind } = query;
    if (kind !== undefined && !isRaised(kind))
      terminal.line(
        `This version raises no alert of kind ${kind}: docs/operations/alerts.md has those that it does.`,
      );
  } else {
    printAlerts(terminal, alerts);
    terminal.line(
      terminal.paint('muted', 'What each kind means, and what to do: docs/operations/alerts.md.'),
    );
  }
  if (more) terminal.line(terminal.paint('muted', thereAreMore));
}

const thereAreMore = 'There are more. Show more with --limit.';

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

export async function listParties(
  context: CommandContext,
  { minutes, json }: JsonOption & { readonly minutes: string },
): Promise<void> {
  const { terminal } = context;
  const gateway = await connectGateway(context);
  const text = await gateway.get('/parties', { minutes });
  if (json) terminal.line(text);
  else printParties(terminal, read(parties, text));
}

export async function show(context: CommandContext, id: string, options: JsonOption): Promise<void> {
  const { terminal } = context;
  const gateway = await connectGateway(context);
  if (uuidPattern.test(id)) {
    const text = await gateway.get(`/payments/${id}`);
    if (options.json) {
      terminal.line(text);
      return;
    }
    const shown = read(evidence, text);
    const { payments } = read(paymentPage, await gateway.get('/payments', { uetr: id }));
    printEvidence(terminal, shown, { listed: payments[0], paused: await pausedFor(gateway, shown) });
    return;
  }
  const text = await gateway.get(`/alerts/${alertIdOf(id)}`);
  if (options.json) terminal.line(text);
  else {
    const alert = read(alertWithEntries, text);
    printAlert(terminal, alert, alert.entries);
  }
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
  const { terminal } = context;
  if (note === undefined && action !== 'take')
    throw new UsageError(`--note is missing: ${action} needs a note, for the next shift.`);
  const isPayment = uuidPattern.test(id);
  if (!isPayment && (kinds.length > 0 || all === true || seen !== undefined)) {
    throw new UsageError(
      `${id} is one alert: --kind, --all and --seen are for the case of a payment, by its UETR.`,
    );
  }
  const gateway = await connectGateway(context);
  const path = isPayment ? `/payments/${id}/entries` : `/alerts/${alertIdOf(id)}/entries`;
  const text = await gateway.post(path, {
    action,
    ...(note === undefined ? {} : { note }),
    ...(kinds.length === 0 ? {} : { kinds }),
    ...(all === undefined ? {} : { all }),
    ...(seen === undefined ? {} : { seen }),
  });
  if (options.json) {
    terminal.line(text);
    return;
  }
  const alert = isPayment ? undefined : read(alertWithEntries, text);
  const entries = alert?.entries ?? read(entryList, text);
  if (alert === undefined) printEntries(terminal, entries);
  else printAlert(terminal, alert, entries);
  const holders = action === 'close' ? takenFrom(entries) : [];
  if (holders.length > 0)
    terminal.line(
      terminal.paint('warning', `! ${holders.join(', ')} had taken it: tell them that it is closed.`),
    );
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

export async function redeliverOne(
  context: CommandContext,
  { uetr, kinds }: { readonly uetr: string; readonly kinds: readonly string[] },
  options: JsonOption,
): Promise<void> {
  const { terminal } = context;
  const gateway = await connectGateway(context);
  const text = await gateway.post(`/payments/${uetr}/redeliveries`, kinds.length === 0 ? {} : { kinds });
  if (options.json) terminal.line(text);
  else {
    const { kinds: due, hindrances } = read(redelivery, text);
    terminal.line(`✓ due again: ${due.join(', ')}. ops show ${uetr} says how it goes.`);
    printHindrances(terminal, hindrances);
  }
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
  const { terminal } = context;
  const limit = limitOf(options, mostDead);
  const gateway = await connectGateway(context);
  const text = await gateway.post('/redeliveries', {
    preview: options.yes !== true,
    ...(options.kinds.length === 0 ? {} : { kinds: options.kinds }),
    ...(options.party === undefined ? {} : { party: options.party }),
    ...(options.reason === undefined ? {} : { closedReason: options.reason }),
    limit,
  });
  if (options.json) {
    terminal.line(text);
    return;
  }
  const { deadLetters, redelivered, total, hindrances } = read(redeliveries, text);
  for (const { subjectId, kind, party, closedReason, closedAt, bookPage } of deadLetters) {
    const page = bookPage === null ? '' : `  ${bookPage.book} of ${bookPage.day}, page ${bookPage.page}`;
    terminal.line(
      `  ${subjectId}  ${kind.padEnd(12)}  ${party}  ${closedReason} ${shortTime(closedAt)}${page}`,
    );
  }
  if (total === '0') terminal.line('No dead letter matches.');
  else if (options.yes) terminal.line(`✓ ${redelivered} of ${total} are due again`);
  else terminal.line(`${deadLetters.length} of ${total} would be delivered again: add --yes.`);
  if (deadLetters.length > 0) printHindrances(terminal, hindrances);
}

export async function enquire(context: CommandContext, uetr: string, options: JsonOption): Promise<void> {
  const { terminal } = context;
  const gateway = await connectGateway(context);
  const text = await gateway.post(`/payments/${uetr}/enquiries`, {});
  if (options.json) terminal.line(text);
  else printEnquiry(context, uetr, read(enquiry, text));
}

function printEnquiry(
  { terminal }: CommandContext,
  uetr: string,
  { asked, hindrances }: z.infer<typeof enquiry>,
): void {
  if (!asked) terminal.line('It was asked within the last 5 s, and is not asked twice.');
  else terminal.line(`✓ on record: its destination is to be asked. ops show ${uetr} says what it answers.`);
  printHindrances(terminal, hindrances);
}
