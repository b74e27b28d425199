/**
 * One thing that a message is held against, with what it must read for that: a submission is told the first that fails, a dry
 * run all of them, and which could not be judged because of a fault of what they read (MSG-14).
 */
import type { Rejection } from './rejection.ts';

/** Whether what stands at an XPath (without positions) was judged and can be read. */
export type IsFit = (xpath: string) => boolean;

export interface Check<Subject> {
  /** In a few words, for whoever is told that it was not judged. */
  readonly name: string;
  readonly ruleId: string;
  /** XPaths, without positions, of what it cannot do without. */
  readonly needs: readonly string[];
  /**
   * Why another fault keeps it, or a part of it, from being judged; `run` leaves that out by itself, and some other check
   * refuses the subject.
   */
  readonly hindered?: (subject: Subject, isFit: IsFit) => string | undefined;
  /** What it refuses is the moment, nothing of the message: it hinders no other check. */
  readonly isOfMoment?: true;
  /** Tells all that it refuses, in the order of the message. */
  readonly run: (subject: Subject, isFit: IsFit) => Iterable<Rejection>;
}

/** Something that a message was not held against. */
export interface NotJudged {
  readonly name: string;
  readonly ruleId: string;
  /** Why. */
  readonly reason: string;
}

/** What came of all checks at once. */
export interface Findings {
  readonly rejections: readonly Rejection[];
  readonly notJudged: readonly NotJudged[];
}

const everything: IsFit = () => true;

/** All that the checks refuse of a subject that is valid throughout; the first is the one that is answered. */
export function* rejectionsOf<Subject>(
  checks: readonly Check<Subject>[],
  subject: Subject,
): Iterable<Rejection> {
  for (const check of checks) yield* check.run(subject, everything);
}

/**
 * The same of a subject of which only a part is fit to be read.
 * @returns `isSound`: all of it was judged, and nothing of the subject itself is refused
 */
export function judgeFit<Subject>(
  checks: readonly Check<Subject>[],
  subject: Subject,
  isFit: IsFit,
): Findings & { readonly isSound: boolean } {
  const rejections: Rejection[] = [];
  const notJudged: NotJudged[] = [];
  let isRefused = false;
  for (const { name, ruleId, needs, hindered, isOfMoment, run } of checks) {
    const unfit = needs
      .filter((xpath) => !isFit(xpath))
      .map((xpath) => xpath.replace(/^\/Document\/[^/]+\//, ''));
    if (unfit.length > 0) {
      notJudged.push({ name, ruleId, reason: `The schema refuses what it reads: ${unfit.join(', ')}.` });
      continue;
    }
    const found = [...run(subject, isFit)];
    rejections.push(...found);
    isRefused ||= found.length > 0 && isOfMoment !== true;
    const reason = hindered?.(subject, isFit);
    if (reason !== undefined) notJudged.push({ name, ruleId, reason });
  }
  return { rejections, notJudged, isSound: !isRefused && notJudged.length === 0 };
}
