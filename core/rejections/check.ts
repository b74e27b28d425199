/**
 * One check of a message, with the elements that it needs: a submission gets the first failure; a dry run gets all of
 * them, and the checks that could not be made because of a fault in what they need.
 */
import { within } from '../iso20022/tree.ts';
import type { Rejection } from './rejection.ts';

/** Whether the value at an XPath (without positions) was found valid and can be read. */
export type IsFit = (xpath: string) => boolean;

export interface Check<Subject> {
  /** In a few words, for the list of what was not judged. */
  readonly name: string;
  readonly ruleId: string;
  /** XPaths, without positions, of the elements it needs. */
  readonly needs: readonly string[];
  /** XPaths with positions. The check is skipped if another check refused something at or below one of them. */
  readonly sound?: readonly string[];
  /**
   * Why another fault prevents this check, or a part of it. `run` itself leaves that part out, and another check
   * refuses the subject.
   */
  readonly hindered?: (subject: Subject, isFit: IsFit) => string | undefined;
  /** Everything that it refuses, in the order of the message. */
  readonly run: (subject: Subject, isFit: IsFit) => Iterable<Rejection>;
}

/** A check that was not made. */
export interface NotJudged {
  readonly name: string;
  readonly ruleId: string;
  /** Why. */
  readonly reason: string;
}

/** The outcome of all checks. */
export interface Findings {
  readonly rejections: readonly Rejection[];
  readonly notJudged: readonly NotJudged[];
}

const everything: IsFit = () => true;

/** Everything that the checks refuse in a fully valid subject; the first is the one that is answered. */
export function* rejectionsOf<Subject>(
  checks: readonly Check<Subject>[],
  subject: Subject,
): Iterable<Rejection> {
  for (const check of checks) yield* check.run(subject, everything);
}

/**
 * The same for a subject of which only a part is valid.
 * @param refused XPaths of what other checks have refused
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
