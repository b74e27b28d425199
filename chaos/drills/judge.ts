// The judge of a drill. It compares what the sources were answered, what the database holds, and what the journals of
// the parties show. It knows nothing of what the drill did, except whether a backup was restored.
import type { JournalEntry } from '../../sandbox/journal-file.ts';
import type { Exchange } from '../oracle/evidence.ts';

export interface PaymentRow {
  readonly uetr: string;
  readonly judgedAt: Date;
  readonly hasQuote: boolean;
}

export interface DecisionRow {
  readonly uetr: string;
  readonly status: string;
  readonly reasonCode: string | null;
  readonly decidedAt: Date;
}

export interface Facts {
  readonly exchanges: readonly Exchange[];
  /** Accepted payments. */
  readonly payments: readonly PaymentRow[];
  readonly decisions: readonly DecisionRow[];
  readonly journal: readonly JournalEntry[];
  /**
   * UETRs that the restored database does not know, as the operators found them before the gateway ran again. Undefined
   * if no backup was restored. After a restore, a party may be told the same outcome twice, in two messages.
   */
  readonly missing?: ReadonlySet<string>;
}

/** What a destination did with a payment that the restored database does not know. */
export interface Lost {
  readonly acknowledged: number;
  readonly credited: number;
}

export interface Judgement {
  /** Each is one sentence. Empty: everything held. */
  readonly faults: readonly string[];
  readonly acknowledged: number;
  /** Number of payments by final status and reason. */
  readonly ends: Readonly<Record<string, number>>;
  /** Payments that a source or an FX provider was told of twice, with the same outcome. Only after a restore. */
  readonly toldTwice: number;
  readonly lost?: Lost;
}

/** UETRs that a source was answered with ACTC. */
export function acknowledgedIn(exchanges: readonly Exchange[]): ReadonlySet<string> {
  const answered = exchanges.filter(
    ({ status, responseBody = '' }) => status === 200 && /<TxSts>ACTC</.test(responseBody),
  );
  return new Set(answered.flatMap(({ uetr }) => (uetr === undefined ? [] : [uetr])));
}

export function judge(facts: Facts): Judgement {
  const { exchanges, payments, decisions, journal, missing } = facts;
  const acknowledged = acknowledgedIn(exchanges);
  const [ofPayment, ofDecision, ofJournal] = [grouped(payments), grouped(decisions), grouped(journal)];
  const isMissing = (uetr: string) => missing?.has(uetr) === true && !ofPayment.has(uetr);
  const faults: string[] = [];
  for (const uetr of acknowledged) {
    if (!ofPayment.has(uetr) && !isMissing(uetr))
      faults.push(`${uetr} was answered ACTC, and no payment is on record.`);
  }
  let toldTwice = 0;
  for (const uetr of new Set([...ofPayment.keys(), ...ofDecision.keys(), ...ofJournal.keys()])) {
    if (isMissing(uetr)) continue;
    const seen = seenBy(ofJournal.get(uetr) ?? []);
    const [payment] = ofPayment.get(uetr) ?? [];
    const own = faultsOf(payment, ofDecision.get(uetr) ?? [], seen);
    const isTwice = seen.callbacks.size > 1 || seen.notifications.size > 1;
    if (isTwice && missing === undefined) own.push('was told to a party in two different messages');
    if (isTwice) toldTwice += 1;
    faults.push(...own.map((fault) => `${uetr} ${fault}.`));
  }
  return {
    faults,
    acknowledged: acknowledged.size,
    ends: countOf(decisions.map(({ status, reasonCode }) => `${status} ${reasonCode ?? ''}`.trim())),
    toldTwice,
    ...(missing && { lost: lostOf(acknowledged, ofJournal, isMissing) }),
  };
}

/** What the parties saw of one payment. The sets hold hashes of different messages. */
interface Seen {
  readonly told: readonly string[];
  readonly callbacks: ReadonlySet<string>;
  readonly instructions: ReadonlySet<string>;
  readonly notifications: ReadonlySet<string>;
  readonly moved: number;
  readonly reversed: number;
}

function seenBy(entries: readonly JournalEntry[]): Seen {
  const taken = (role: string, kind: string) =>
    entries.filter(
      (entry) => entry.direction === 'received' && entry.kind === kind && entry.party.startsWith(`${role}/`),
    );
  const hashes = (of: readonly JournalEntry[]) => new Set(of.map(({ sha256 = '' }) => sha256));
  const booked = (status: string) =>
    entries.filter((entry) => entry.direction === 'booked' && entry.status === status).length;
  const callbacks = taken('source', 'pacs002');
  return {
    told: callbacks.map(({ status = '' }) => status),
    callbacks: hashes(callbacks),
    instructions: hashes(taken('destination', 'pacs008')),
    notifications: hashes(taken('fxp', 'fxtr017')),
    moved: booked('moved'),
    reversed: booked('reversed'),
  };
}

/** @returns the faults of one payment, each the rest of a sentence that begins with its UETR */
function faultsOf(
  payment: PaymentRow | undefined,
  decisions: readonly DecisionRow[],
  { told, instructions, notifications, moved, reversed }: Seen,
): string[] {
  const [decision] = decisions;
  const status = decision?.status ?? 'none';
  const isCredited = moved > reversed;
  const lines: readonly (readonly [boolean, string])[] = [
    [payment !== undefined && decisions.length === 0, 'was accepted, and has no decision'],
    [decisions.length > 1, `has ${decisions.length} decisions`],
    [
      decision !== undefined && payment !== undefined && told.length === 0,
      'is decided, and its source was not told',
    ],
    [told.some((one) => one !== status), `is decided ${status}, and its source was told ${told.join(', ')}`],
    [moved > 1, `was credited ${moved} times`],
    [instructions.size > 1, 'reached its destination in two different messages'],
    [isCredited && status !== 'ACCC', `was credited, and its decision is ${status}`],
    [!isCredited && status === 'ACCC', 'is decided ACCC, and was not credited'],
    [notifications.size > 0 && status !== 'ACCC', 'was told to an FX provider, and is not credited'],
    [
      status === 'ACCC' && payment?.hasQuote === true && notifications.size === 0,
      'was credited, and its FX provider was not told',
    ],
  ];
  return lines.flatMap(([isSo, fault]) => (isSo ? [fault] : []));
}

function lostOf(
  acknowledged: ReadonlySet<string>,
  ofJournal: ReadonlyMap<string, readonly JournalEntry[]>,
  isMissing: (uetr: string) => boolean,
): Lost {
  const lost = [...acknowledged].filter(isMissing);
  const isCredited = (uetr: string) => {
    const { moved, reversed } = seenBy(ofJournal.get(uetr) ?? []);
    return moved > reversed;
  };
  return { acknowledged: lost.length, credited: lost.filter(isCredited).length };
}

function grouped<Row extends { readonly uetr?: string }>(
  rows: readonly Row[],
): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    if (row.uetr === undefined) continue;
    const group = groups.get(row.uetr);
    if (group === undefined) groups.set(row.uetr, [row]);
    else group.push(row);
  }
  return groups;
}

function countOf(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

export interface Times {
  /** Longest time between two answers to submissions, in milliseconds. */
  readonly unansweredMs: number;
  /** Longest time from the acceptance of a payment to its decision. */
  readonly slowestDecisionMs: number;
  /** From the start of the drill's action to the last decision on a payment that was accepted before. */
  readonly allDecidedMs: number;
  /** The same up to the last callback. */
  readonly allToldMs: number;
  /** Payments that were accepted after the drill's action. */
  readonly acceptedAfter: number;
  /** Payments that their source sent again. */
  readonly repeated: number;
  /** Payments whose source gave up without an answer. */
  readonly unanswered: number;
}

/** @param action start and end of what the drill did, epoch milliseconds */
export function measure(
  { exchanges, payments, decisions, journal }: Facts,
  action: { readonly from: number; readonly to: number },
): Times {
  const submissions = exchanges.filter(({ purpose }) => /^payment(-again)?$/.test(purpose));
  const answers = submissions.filter(({ status }) => status === 200);
  const uetrsOf = (some: readonly Exchange[]) => new Set(some.map(({ uetr }) => uetr));
  const answered = uetrsOf(answers);
  const times = answers.map(({ endedAt }) => Date.parse(endedAt)).sort((one, other) => one - other);
  const decidedAt = new Map(decisions.map(({ uetr, decidedAt: at }) => [uetr, at.getTime()]));
  const toldAt = new Map<string, number>();
  for (const { party, direction, kind, uetr, at } of journal) {
    const isCallback = party.startsWith('source/') && direction === 'received' && kind === 'pacs002';
    if (isCallback && uetr !== undefined && !toldAt.has(uetr)) toldAt.set(uetr, Date.parse(at));
  }
  const before = payments.filter(({ judgedAt }) => judgedAt.getTime() < action.from);
  const lastOf = (at: ReadonlyMap<string, number>) =>
    greatest(before.flatMap(({ uetr }) => [(at.get(uetr) ?? action.from) - action.from]));
  return {
    unansweredMs: greatest(times.slice(1).map((time, nth) => time - (times[nth] ?? time))),
    slowestDecisionMs: greatest(
      payments.map(({ uetr, judgedAt }) => (decidedAt.get(uetr) ?? 0) - judgedAt.getTime()),
    ),
    allDecidedMs: lastOf(decidedAt),
    allToldMs: lastOf(toldAt),
    acceptedAfter: payments.filter(({ judgedAt }) => judgedAt.getTime() > action.to).length,
    repeated: uetrsOf(submissions.filter(({ purpose }) => purpose === 'payment-again')).size,
    unanswered: [...uetrsOf(submissions)].filter((uetr) => !answered.has(uetr)).length,
  };
}

const greatest = (values: readonly number[]) => values.reduce((most, value) => Math.max(most, value), 0);
