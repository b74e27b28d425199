// What `isthmus ops` does, command by command: asks the gateway over HTTP, as every operator may (docs/operations.md), and
// shows the answer. It must not look into the gateway's database.
import { setTimeout as delay } from 'node:timers/promises';
import type { CommandContext } from '../command.ts';
import { UnavailableError, UsageError } from '../errors.ts';
import {
  alertPage,
  alertWithEntries,
  enquiry,
  entryList,
  evidence,
  parties,
  paymentPage,
  read,
  redeliveries,
  redelivery,
  type ShownAlert,
  type ShownPayment,
} from './answers.ts';
import { connectGateway, type Gateway } from './connection.ts';
import {
  printAlert,
  printAlerts,
  printEntries,
  printEvidence,
  printParties,
  printPayments,
  shortTime,
} from './show.ts';

type Query = Readonly<Record<string, string | undefined>>;

export interface Shown {
  /** As the gateway answered. */
  readonly json?: true;
}

export interface ListOptions extends Shown {
  /** How many at most; pages are fetched until then. */
  readonly limit: string;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const pageSize = 200;

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
  if (payments.length === 0) terminal.line('No payment is like that.');
  else printPayments(terminal, payments);
  if (more)
    terminal.line(
      terminal.paint('muted', `There are more: --limit, or --to ${payments.at(-1)?.judgedAt ?? ''}`),
    );
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
  if (alerts.length === 0) terminal.line('No alert is like that.');
  else printAlerts(terminal, alerts);
  if (more)
    terminal.line(terminal.paint('muted', `There are more: --limit, or --to ${alerts.at(-1)?.at ?? ''}`));
}

function limitOf({ limit }: ListOptions): number {
  const count = Number(limit);
  if (Number.isInteger(count) && count >= 1 && count <= 100_000) return count;
  throw new UsageError(`--limit ${limit}: it takes a whole number from 1 to 100000.`);
}

/** @returns whether there are more than were asked for */
async function eachPage(
  gateway: Gateway,
  path: string,
  { query, limit }: { readonly query: Query; readonly limit: number },
  take: (text: string) => { readonly next: string | null; readonly count: number },
): Promise<boolean> {
  let cursor: string | undefined;
  let left = limit;
  for (;;) {
    const asked = {
      ...query,
      limit: String(Math.min(left, pageSize)),
      ...(cursor === undefined ? {} : { cursor }),
    };
    const { next, count } = take(await gateway.get(path, asked));
    left -= count;
    if (next === null) return false;
    if (left <= 0) return true;
    cursor = new URL(next).searchParams.get('cursor') ?? undefined;
  }
}

export async function listParties(
  context: CommandContext,
  { minutes, json }: Shown & { readonly minutes: string },
): Promise<void> {
  const { terminal } = context;
  const gateway = await connectGateway(context);
  const text = await gateway.get('/parties', { minutes });
  if (json) terminal.line(text);
  else printParties(terminal, read(parties, text));
}

export async function show(context: CommandContext, id: string, options: Shown): Promise<void> {
  const { terminal } = context;
  const gateway = await connectGateway(context);
  if (uuid.test(id)) {
    const text = await gateway.get(`/payments/${id}`);
    if (options.json) terminal.line(text);
    else printEvidence(terminal, read(evidence, text));
    return;
  }
  const text = await gateway.get(`/alerts/${alertIdOf(id)}`);
  if (options.json) terminal.line(text);
  else showAlert(context, text);
}

function showAlert({ terminal }: CommandContext, text: string): void {
  const { entries, ...alert } = read(alertWithEntries, text);
  printAlert(terminal, alert, entries);
}

function alertIdOf(id: string): string {
  if (/^[1-9]\d*$/.test(id)) return id;
  throw new UsageError(`${id}: name a payment by its UETR (lower case), or an alert by its id.`);
}

/** take, note, close, reopen: an alert, or a payment with all its alerts. */
export async function act(
  context: CommandContext,
  { action, id, note }: { readonly action: string; readonly id: string; readonly note: string | undefined },
  options: Shown,
): Promise<void> {
  const { terminal } = context;
  const gateway = await connectGateway(context);
  const isPayment = uuid.test(id);
  const path = isPayment ? `/payments/${id}/entries` : `/alerts/${alertIdOf(id)}/entries`;
  const text = await gateway.post(path, { action, ...(note === undefined ? {} : { note }) });
  if (options.json) terminal.line(text);
  else if (isPayment) printEntries(terminal, read(entryList, text));
  else showAlert(context, text);
}

export async function redeliverOne(
  context: CommandContext,
  { uetr, kinds }: { readonly uetr: string; readonly kinds: readonly string[] },
  options: Shown,
): Promise<void> {
  const { terminal } = context;
  const gateway = await connectGateway(context);
  const text = await gateway.post(`/payments/${uetr}/redeliveries`, kinds.length === 0 ? {} : { kinds });
  if (options.json) terminal.line(text);
  else
    terminal.line(
      `✓ due again: ${read(redelivery, text).kinds.join(', ')}. ops show ${uetr} says how it goes.`,
    );
}

export interface DeadOptions extends Shown {
  readonly kinds: readonly string[];
  readonly party?: string;
  readonly reason?: string;
  readonly limit: string;
  readonly yes?: true;
}

/** Names them first; --yes delivers them. */
export async function redeliverDead(context: CommandContext, options: DeadOptions): Promise<void> {
  const { terminal } = context;
  const gateway = await connectGateway(context);
  const text = await gateway.post('/redeliveries', {
    preview: options.yes !== true,
    ...(options.kinds.length === 0 ? {} : { kinds: options.kinds }),
    ...(options.party === undefined ? {} : { party: options.party }),
    ...(options.reason === undefined ? {} : { closedReason: options.reason }),
    limit: Number(options.limit),
  });
  if (options.json) {
    terminal.line(text);
    return;
  }
  const { deadLetters, redelivered, total } = read(redeliveries, text);
  for (const { subjectId, kind, party, closedReason, closedAt } of deadLetters) {
    terminal.line(`  ${subjectId}  ${kind.padEnd(12)}  ${party}  ${closedReason} ${shortTime(closedAt)}`);
  }
  if (options.yes) terminal.line(`✓ ${redelivered} of ${total} are due again`);
  else if (total === '0') terminal.line('No dead letter is like that.');
  else terminal.line(`${deadLetters.length} of ${total} would be delivered again: add --yes.`);
}

export async function enquire(context: CommandContext, uetr: string, options: Shown): Promise<void> {
  const { terminal } = context;
  const gateway = await connectGateway(context);
  const text = await gateway.post(`/payments/${uetr}/enquiries`, {});
  if (options.json) terminal.line(text);
  else if (read(enquiry, text).asked)
    terminal.line(`✓ its destination is asked. ops show ${uetr} says what it answers.`);
  else terminal.line('It was asked within the last 5 s, and is not asked twice.');
}

const tailEveryMs = 1_000;
const tailKeeps = 10_000; // payments whose last state is known

/** Prints each payment when it is judged, and again whenever its state changes, until Ctrl-C. */
export async function tail(context: CommandContext, query: Query, options: Shown): Promise<void> {
  const { terminal } = context;
  const gateway = await connectGateway(context);
  const stopped = new AbortController();
  context.interruption.handTo((exitCode) => {
    stopped.abort();
    process.exit(exitCode);
  });
  const last = new Map<string, string>();
  const begun = new Date(Date.now() - 60_000).toISOString();
  terminal.line(terminal.paint('muted', `Payments at ${gateway.url}, as they change. Ctrl-C ends it.`));
  let isAway = false;
  while (!stopped.signal.aborted) {
    try {
      const text = await gateway.get('/payments', { ...query, from: begun, limit: '500' });
      if (isAway) terminal.line(terminal.paint('good', '✓ it answers again'));
      isAway = false;
      const { payments } = read(paymentPage, text);
      for (const one of payments.toReversed()) {
        const now = `${one.status} ${one.state}`;
        if (last.get(one.uetr) === now) continue;
        last.delete(one.uetr);
        last.set(one.uetr, now);
        printTailed(context, one, options);
      }
      for (const uetr of [...last.keys()].slice(0, Math.max(0, last.size - tailKeeps))) last.delete(uetr);
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      if (!isAway) terminal.line(terminal.paint('warning', `! ${error.message}`));
      isAway = true;
    }
    await delay(tailEveryMs, undefined, { signal: stopped.signal }).catch(() => undefined);
  }
}

function printTailed({ terminal }: CommandContext, payment: ShownPayment, { json }: Shown): void {
  if (json) {
    terminal.line(JSON.stringify(payment));
    return;
  }
  const { decidedAt, judgedAt, uetr, status, reasonCode, state, corridor, priority } = payment;
  const said = [status, reasonCode].filter((part) => part !== null).join(' ');
  const style = status === 'ACCC' ? 'good' : status === 'RJCT' ? 'bad' : 'name';
  terminal.line(
    [
      shortTime(decidedAt ?? judgedAt),
      uetr,
      (corridor ?? '-').padEnd(5),
      priority ?? '-',
      terminal.paint(style, said.padEnd(9)),
      state,
    ].join('  '),
  );
}
