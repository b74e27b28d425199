// `isthmus ops tail`: prints one line whenever a payment changes. It polls once a second, so it misses states that last
// less.
import { statusInWords } from '../../core/rejections/reason-words.ts';
import { setTimeout as delay } from 'node:timers/promises';
import type { CommandContext } from '../command.ts';
import { UnavailableError } from '../errors.ts';
import type { Gateway, Query } from '../gateway.ts';
import { readPayments, type ListedPayment, type ShownPayment } from './answers.ts';
import { connectGateway, eachPage, type JsonOption } from './connection.ts';
import { shortTime } from './show.ts';

const lookEveryMs = 1_000;
const restsFor = 3; // times the duration of a poll, to spare a gateway in trouble

/**
 * Prints the newest payments and those that are not over. Then it prints each payment when it is judged and whenever
 * its state changes, until Ctrl-C.
 */
export async function tail(context: CommandContext, query: Query, options: JsonOption): Promise<void> {
  const { terminal, interruption } = context;
  const gateway = await connectGateway(context);
  interruption.handTo((exitCode) => process.exit(exitCode));
  // With --json, standard output contains only payments.
  const say = (line: string) => (options.json ? void process.stderr.write(`${line}\n`) : terminal.line(line));
  say(terminal.paint('muted', `Payments at ${gateway.url}, as they change. Ctrl-C ends it.`));
  const look = following(gateway, query);
  let isAway = false;
  while (!interruption.isAsked()) {
    const began = performance.now();
    try {
      const changed = await look();
      if (isAway) say(terminal.paint('good', '✓ it answers again'));
      isAway = false;
      for (const { payment, text } of changed) {
        if (options.json) terminal.line(text);
        else printTailed(context, payment);
      }
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      if (!isAway) say(terminal.paint('warning', `! ${error.message}`));
      isAway = true;
    }
    await delay(Math.max(lookEveryMs, restsFor * (performance.now() - began)));
  }
}

function printTailed({ terminal }: CommandContext, payment: ShownPayment): void {
  const { decidedAt, judgedAt, uetr, status, reasonCode, state, corridor, priority } = payment;
  const said = statusInWords(status, reasonCode);
  const style = status === 'ACCC' ? 'good' : status === 'RJCT' ? 'bad' : 'name';
  terminal.line(
    [
      `${decidedAt === null ? 'judged ' : 'decided'} ${shortTime(decidedAt ?? judgedAt)}`,
      uetr,
      (corridor ?? '-').padEnd(5),
      priority ?? '-',
      terminal.paint(style, said.padEnd(9)),
      payment.isContradicted ? `${state}, contradicted` : state,
    ].join('  '),
  );
}

const differs = (last: ShownPayment, now: ShownPayment) =>
  last.status !== now.status || last.state !== now.state || last.isContradicted !== now.isContradicted;

/** States that will change by themselves, so these payments are polled again, however old they are. */
const passing: readonly string[] = ['waiting', 'in-doubt', 'telling'];

const newestForMs = 60_000; // a payment may appear in lists some seconds after its time, because it commits later

/**
 * Returns a function that lists changes since its last call, oldest first. The first call lists payments that are not
 * over, and those judged within the minute before the newest payment. A payment that was shown once is followed to its
 * end, even if it no longer matches `status` and `state`.
 */
function following(
  gateway: Gateway,
  { status, state, ...rest }: Query,
): () => Promise<readonly ListedPayment[]> {
  const known = new Map<string, ShownPayment>();
  const statuses = status?.split(',');
  const isLike = (one: ShownPayment) =>
    (state === undefined || state === one.state) && (statuses === undefined || statuses.includes(one.status));
  let from: string | undefined;

  async function list(query: Query, isEnough: (last: ShownPayment) => boolean = () => false) {
    const found: ListedPayment[] = [];
    await eachPage(gateway, '/payments', { query }, (text) => {
      const { payments, next } = readPayments(text);
      found.push(...payments);
      const last = payments.at(-1);
      return { next, count: payments.length, isEnough: last !== undefined && isEnough(last.payment) };
    });
    return found;
  }

  /** Reads pages, newest first, until one ends with a known payment. */
  async function newest(): Promise<readonly ListedPayment[]> {
    const query = { ...rest, status, state };
    const one = readPayments(await gateway.get('/payments', { ...query, limit: '1' })).payments[0];
    if (one === undefined) return [];
    from = new Date(Date.parse(one.payment.judgedAt) - newestForMs).toISOString();
    return list({ ...query, from }, ({ uetr }) => known.has(uetr));
  }

  return async () => {
    const seen = new Map<string, ListedPayment>();
    const see = (listed: readonly ListedPayment[]) => {
      for (const one of listed) seen.set(one.payment.uetr, one);
    };
    see(await newest());
    for (const each of passing) see(await list({ ...rest, state: each }));
    for (const { uetr, state: last } of known.values()) {
      if (passing.includes(last) && !seen.has(uetr)) see(await list({ uetr }));
    }
    const changed = [...seen.values()].filter(({ payment }) => {
      const last = known.get(payment.uetr);
      return last === undefined ? isLike(payment) : differs(last, payment);
    });
    for (const { payment } of changed) known.set(payment.uetr, payment);
    for (const [uetr, { state: last, judgedAt }] of known) {
      if (!passing.includes(last) && from !== undefined && judgedAt < from) known.delete(uetr);
    }
    return changed.sort((a, b) => (a.payment.judgedAt < b.payment.judgedAt ? -1 : 1));
  };
}
