// The verdict on a run. For each invariant it counts the examined things and lists the breaches with their
// evidence. An invariant for which nothing could be examined is "not shown". A delay while the machine was
// too slow is "not judged" and no breach.

import type { Machine, Span } from './machine.ts';

/** A violation of an invariant or rule. */
export interface Breach {
  /** The id of an invariant, such as `I-4`, or `R:PAY-4` for a rule that no invariant covers. */
  readonly id: string;
  /** Describes the breach in one sentence. */
  readonly statement: string;
  /** The UETR, message id, workflow or file in which the breach was found. */
  readonly subject: string;
  /** Shortened lines, rows and times that prove the breach. */
  readonly evidence: readonly string[];
}

/** The result for one invariant or rule. */
export interface Finding {
  readonly id: string;
  readonly title: string;
  /** Counts of examined things, such as `212 payments`. */
  readonly examined: readonly Examined[];
  readonly breaches: readonly Breach[];
  readonly notJudged: readonly Breach[];
  /**
   * `not-judged`: something was late, perhaps because the machine was too slow. `not-shown`: there was
   * nothing to examine.
   */
  readonly outcome: 'held' | 'broken' | 'not-judged' | 'not-shown';
}

export interface Examined {
  readonly count: number;
  readonly what: string;
}

export interface Verdict {
  /** First I-1 to I-20, then each rule for which something was examined or found. */
  readonly findings: readonly Finding[];
  /** The breaches of all findings. */
  readonly breaches: readonly Breach[];
  /**
   * Delays that would be breaches on a fast machine. The first line of each one's evidence says how slow the
   * machine was.
   */
  readonly notJudged: readonly Breach[];
  /** Whether some delay was not judged, and the machine was too slow for more than half of the run. */
  readonly isMostlyUnjudged: boolean;
}

/** Collects the results of the checks. */
export interface Report {
  /** Adds to the count of examined things for an invariant. A check calls it even if the count is zero. */
  examined(id: string, what: string, count: number): void;
  breach(id: string, statement: string, subject: string, evidence?: readonly unknown[]): void;
  /**
   * Records a breach, unless the machine was too slow during this time. Use `late` only for delays, never for
   * wrong content.
   */
  late(id: string, statement: string, subject: string, evidence: readonly unknown[], during: Span): void;
  /**
   * Whether the machine was too slow during this time. If so, records the delay as not judged. Use it for
   * delays that are a breach only if they are frequent.
   */
  isUnjudged(id: string, statement: string, subject: string, during: Span): boolean;
}

/** The invariants, in a shorter form than in docs/reference/invariants.md. */
const invariants: Readonly<Record<string, string>> = {
  'I-1': 'every pacs.008 answered 200 has one final status, or waits as it may',
  'I-2': 'a destination sees one distinct instruction per payment',
  'I-3': 'the source gets the final pacs.002 of each decided payment, always in the same bytes',
  'I-4': "what the source was told is the destination's truth",
  'I-5': 'one fxtr.017 per ACCC with a quote, with the figures of the quote',
  'I-6': "a quote carries one payment, of the quote's PSP, before it expires",
  'I-7': 'no connection to an address that is not registered',
  'I-8': 'histories are paths of the state table; no status follows a final',
  'I-9': 'sums agree between payments, fxtr.017 and ledgers',
  'I-10': 'nothing that was answered 200 is missing',
  'I-11': 'every outgoing message is valid, says what the rules say, and arrives as it is stored',
  'I-12': 'attempts and enquiries keep their schedule',
  'I-13': 'identical submissions get equal finals; other content changes nothing',
  'I-14': 'personal data is found nowhere but in messages',
  'I-15': '60 s after the last fault, no payment waits on us',
  'I-16': 'no message is retried for ever, holds a slot or keeps another from being judged',
  'I-17': 'every delivery ends delivered or as a dead letter with its alert; none is neglected',
  'I-18': 'a final that was stored before the gateway decided is the decision',
  'I-19': 'no instruction leaves for a HIGH payment after its deadline',
  'I-20': 'the sweep finds nothing where nothing failed',
};

const maxLine = 400; // characters per line of evidence, because a message may have 256 KiB
const maxLines = 8;

function shorten(line: unknown): string {
  const text = typeof line === 'string' ? line : JSON.stringify(line ?? 'none', withoutBodies);
  return text.length <= maxLine ? text : `${text.slice(0, maxLine)}...`;
}

function withoutBodies(key: string, value: unknown): unknown {
  return key === 'body' || key === 'bytes' || key === 'message' ? undefined : value;
}

/** A breach with evidence that is not shortened yet. */
type Late = Omit<Breach, 'evidence'> & { readonly evidence: readonly unknown[] };

/** Opens an empty report. `verdict` computes the verdict from the results recorded so far. */
export function openReport(machine: Machine): { readonly report: Report; readonly verdict: () => Verdict } {
  const breaches: Breach[] = [];
  const notJudged: Breach[] = [];
  const counts = new Map<string, Map<string, number>>();
  const isUnjudged = (one: Late, during: Span): boolean => {
    const why = machine.tooSlow(during);
    if (why === undefined) return false;
    const isCounted = notJudged.some(({ id, subject }) => id === one.id && subject === one.subject);
    if (!isCounted) notJudged.push({ ...one, evidence: shortened([why, ...one.evidence]) });
    return true;
  };
  const report: Report = {
    examined: (id, what, count) => {
      const known = counts.get(id) ?? new Map<string, number>();
      counts.set(id, known.set(what, (known.get(what) ?? 0) + count));
    },
    breach: (id, statement, subject, evidence = []) => {
      breaches.push({ id, statement, subject, evidence: shortened(evidence) });
    },
    late: (id, statement, subject, evidence, during) => {
      if (!isUnjudged({ id, statement, subject, evidence }, during))
        report.breach(id, statement, subject, evidence);
    },
    isUnjudged: (id, statement, subject, during) =>
      isUnjudged({ id, statement, subject, evidence: [] }, during),
  };
  return {
    report,
    verdict: () => ({
      findings: findingsOf({ breaches, notJudged }, counts),
      breaches,
      notJudged,
      isMostlyUnjudged: notJudged.length > 0 && machine.slowShare > 0.5,
    }),
  };
}

function shortened(evidence: readonly unknown[]): readonly string[] {
  const more = evidence.length > maxLines ? [`and ${evidence.length - maxLines} more`] : [];
  return [...evidence.slice(0, maxLines).map(shorten), ...more];
}

function findingsOf(
  { breaches, notJudged }: Pick<Verdict, 'breaches' | 'notJudged'>,
  counts: ReadonlyMap<string, ReadonlyMap<string, number>>,
): readonly Finding[] {
  const rules = [...new Set([...counts.keys(), ...[...breaches, ...notJudged].map(({ id }) => id)])]
    .filter((id) => invariants[id] === undefined)
    .sort();
  return [...Object.keys(invariants), ...rules].map((id): Finding => {
    const examined = [...(counts.get(id) ?? [])].map(([what, count]) => ({ what, count }));
    const own = breaches.filter((breach) => breach.id === id);
    const unjudged = notJudged.filter((one) => one.id === id);
    const isExamined = examined.some(({ count }) => count > 0);
    const unbroken = unjudged.length > 0 ? 'not-judged' : isExamined ? 'held' : 'not-shown';
    const outcome = own.length > 0 ? 'broken' : unbroken;
    const title = invariants[id] ?? `rule ${id.replace('R:', '')}`;
    return { id, title, examined, breaches: own, notJudged: unjudged, outcome };
  });
}
