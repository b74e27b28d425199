// What the oracle says of a run: per invariant what was examined and which breaches were found, with the very lines
// that show them. An invariant of which nothing could be examined is not held but not shown. What came late while the
// machine was too slow is no breach, and not judged.

import type { Machine, Span } from './machine.ts';

/** One thing that must not be. */
export interface Breach {
  /** `I-4`, or `R:PAY-4` for what no invariant names but a rule does. */
  readonly id: string;
  /** One sentence. */
  readonly statement: string;
  /** UETR, message id, execution or file that it is about. */
  readonly subject: string;
  /** The lines, rows and times that show it, shortened. */
  readonly evidence: readonly string[];
}

/** What was found about one invariant or rule. */
export interface Finding {
  readonly id: string;
  readonly title: string;
  /** How many of what were held against it, e.g. `212 payments`. */
  readonly examined: readonly Examined[];
  readonly breaches: readonly Breach[];
  readonly notJudged: readonly Breach[];
  /**
   * `not-judged`: something came late, and the machine may be why. `not-shown`: there was nothing to examine, so that
   * nothing is known.
   */
  readonly outcome: 'held' | 'broken' | 'not-judged' | 'not-shown';
}

export interface Examined {
  readonly count: number;
  readonly what: string;
}

export interface Verdict {
  /** I-1 to I-20, then the rules of which something was examined. */
  readonly findings: readonly Finding[];
  /** All of them. */
  readonly breaches: readonly Breach[];
  /** What would be a breach on a machine that is fast enough; its first line of evidence says how slow it was. */
  readonly notJudged: readonly Breach[];
  /** Something was not judged, and the machine was too slow for more than half of the run. */
  readonly isMostlyUnjudged: boolean;
}

/** Where checks put what they find. */
export interface Report {
  /** Counts things that were held against an invariant; to be called for zero too. */
  examined(id: string, what: string, count: number): void;
  breach(id: string, statement: string, subject: string, evidence?: readonly unknown[]): void;
  /** A breach only if the machine was fast enough then; for times, never for content. */
  late(id: string, statement: string, subject: string, evidence: readonly unknown[], during: Span): void;
  /**
   * Whether the machine was too slow then to tell; counts it as not judged. For what is a breach only if it comes often.
   */
  isUnjudged(id: string, statement: string, subject: string, during: Span): boolean;
}

/** The invariants, in the words of docs/reference/invariants.md, shortened. */
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

const maxLine = 400; // of evidence; a message may be 256 KiB
const maxLines = 8;

function shorten(line: unknown): string {
  const text = typeof line === 'string' ? line : JSON.stringify(line ?? 'none', withoutBodies);
  return text.length <= maxLine ? text : `${text.slice(0, maxLine)}...`;
}

function withoutBodies(key: string, value: unknown): unknown {
  return key === 'body' || key === 'bytes' || key === 'message' ? undefined : value;
}

/** A breach whose evidence is not yet shortened. */
type Late = Omit<Breach, 'evidence'> & { readonly evidence: readonly unknown[] };

/** An empty report, and the verdict that it comes to. */
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
