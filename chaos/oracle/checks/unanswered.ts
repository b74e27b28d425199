// While no part of the gateway is broken, a 5xx answer is a defect of the gateway (SEC-9). While only
// Temporal is down, the gateway still answers requests that need only the database (DUP-1).
import type { Exchange } from '../evidence.ts';
import { instant } from '../rows.ts';
import type { Report } from '../verdict.ts';
import { isPost, toSubmission, type World } from '../world.ts';

const recoveredMs = 60_000; // I-15: the effects of faults in the gateway are over after this time
const lockMs = 5_000; // decided_at is the start of the SQL statement; a lock may delay its commit

interface Answered {
  readonly from: number;
  readonly to: number;
  readonly status: number;
  readonly subject: string;
  readonly shown: unknown;
  readonly exchange?: Exchange;
}

export function judgeUnanswered(world: World, report: Report): void {
  const { exchanges, journal } = world.evidence;
  const asked = exchanges.map((exchange) => ({ ...exchange, httpStatus: exchange.status, exchange }));
  const reported = journal
    .filter(({ direction }) => direction === 'sent')
    .map((entry) => ({ ...entry, sentAt: entry.at, endedAt: entry.at, path: entry.party }));
  const all = [...asked, ...reported].filter(({ httpStatus }) => httpStatus !== undefined);
  report.examined('R:SEC-9', 'answers to whoever asked or reported', all.length);
  const failed = all
    .filter(({ httpStatus = 0 }) => httpStatus >= 500)
    .map((one): Answered => {
      const { httpStatus: status = 0 } = one;
      const [from, to] = [instant(one.sentAt), instant(one.endedAt)];
      const shown = 'exchange' in one ? one.exchange : one;
      const subject = one.uetr ?? one.messageId ?? one.path;
      return { from, to, status, subject, shown, ...('exchange' in one ? { exchange: one.exchange } : {}) };
    });
  for (const one of failed) judgeFailed(world, report, one);
}

function judgeFailed(world: World, report: Report, failed: Answered): void {
  const { from, to, status, subject, shown, exchange } = failed;
  const { quiet } = world;
  /** Reports the answer. A slow machine can cause a 503, but no other 5xx. */
  const tell = (id: string, statement: string) => {
    if (status === 503) report.late(id, statement, subject, [shown], { from, to });
    else report.breach(id, statement, subject, [shown]);
  };
  if (quiet.isCalm([], from, to, recoveredMs)) {
    tell('R:SEC-9', 'An answer was 5xx, and none of our parts was broken.');
    return;
  }
  if (exchange === undefined || !quiet.isEngineAlone(from, to, recoveredMs)) return;
  const statement = 'What is answered from the record was not, while only the engine was away (DUP-1).';
  if (isFromRecord(world, exchange)) tell('R:DUP-1', statement);
}

/** Whether the answer needs only the database: a GET, or a repeat after the final status was stored. */
function isFromRecord({ paymentOf }: World, exchange: Exchange): boolean {
  if (exchange.method === 'GET') return true;
  const { decidedAt = Infinity, submission, row } = paymentOf.get(exchange.uetr ?? '') ?? {};
  if (!isPost(exchange, '/iso20022/pacs008') || row?.source_clearing_system !== exchange.client) return false;
  const { sha256, sentAt } = toSubmission(exchange);
  return sha256 === submission?.sha256 && decidedAt < sentAt - lockMs;
}
