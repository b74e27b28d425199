/**
 * A check of a message, with the elements that it needs. A submission gets the first rejection. A dry run gets all of
 * them, and the list of checks that a fault elsewhere made impossible.
 */
import { within } from '../iso20022/tree.ts';
import type { Rejection } from './rejection.ts';

/** Whether the value at an XPath (without positions) was found valid, so that it may be used. */
export type IsFit = (xpath: string) => boolean;

export interface Check<Subject> {
  /** A short name for the list of checks that were not made. */
  readonly name: string;
  readonly ruleId: string;
  /** XPaths, without positions, of the elements that the check needs. */
  readonly needs: readonly string[];
  /** XPaths with positions. The check is skipped if another check refused an element at or below one of them. */
  readonly sound?: readonly string[];
  /**
   * Why a fault elsewhere prevents this check, wholly or in part; undefined if it does not. `run` must skip that part
   * itself, and another check must refuse the fault.
   */
  readonly hindered?: (subject: Subject, isFit: IsFit) => string | undefined;
  /** All rejections, in document order. */
  readonly run: (subject: Subject, isFit: IsFit) => Iterable<Rejection>;
}

/** A check that was not made. */
export interface NotJudged {
  readonly name: string;
  readonly ruleId: string;
  readonly reason: string;
}

/** The result of all checks. */
export interface Findings {
  readonly rejections: readonly Rejection[];
  readonly notJudged: readonly NotJudged[];
}

const everything: IsFit = () => true;

/** All rejections of a fully valid subject; a submission is answered with the first. */
export function* rejectionsOf<Subject>(
  checks: readonly Check<Subject>[],
  subject: Subject,
): Iterable<Rejection> {
  for (const check of checks) yield* check.run(subject, everything);
}

/**
 * Runs the checks on a subject that is only partly valid.
 * @param refused XPaths that other checks have refused
 */
export function judgeFit<Subject>(
  checks: readonly Check<Subject>[],
  subject: Subject,
  isFit: IsFit,
  refused: readonly string[] = [],
): Findings {
  const rejections: Rejection[] = [];
  const notJudged: NotJudged[] = [];
  for (const { name, ruleId, needs, sound = [], hindered, run } of checks) {
    const unfit = needs.filter((xpath) => !isFit(xpath));
    const unsound = sound.filter((xpath) => refused.some((one) => within(one, xpath)));
    if (unfit.length > 0) {
      notJudged.push({ name, ruleId, reason: `The schema refuses what it needs: ${listed(unfit)}.` });
    } else if (unsound.length > 0) {
      notJudged.push({ name, ruleId, reason: `Another fault is in what it needs: ${listed(unsound)}.` });
    } else {
      rejections.push(...run(subject, isFit));
      const reason = hindered?.(subject, isFit);
      if (reason !== undefined) notJudged.push({ name, ruleId, reason });
    }
  }
  return { rejections, notJudged };
}

const listed = (xpaths: readonly string[]) =>
  xpaths.map((xpath) => xpath.replace(/^\/Document\/[^/]+\//, '')).join(', ');
