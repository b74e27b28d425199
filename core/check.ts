/**
 * One check of a message, with the elements that it needs: a submission gets the first failure; a dry run gets all of
 * them, and the checks that could not be made because of a fault in what they need (MSG-14).
 */
import type { Rejection } from './rejection.ts';

/** Whether the value at an XPath (without positions) was found valid and can be read. */
export type IsFit = (xpath: string) => boolean;

export interface Check<Subject> {
  /** In a few words, for the list of what was not judged. */
  readonly name: string;
  readonly ruleId: string;
  /** XPaths, without positions, of the elements it needs. */
  readonly needs: readonly string[];
  /**
   * Why another fault prevents this check, or a part of it. `run` itself leaves that part out, and another check
   * refuses the subject.
   */
  readonly hindered?: (subject: Subject, isFit: IsFit) => string | undefined;
  /** It refuses the moment, not the content of the message: it prevents no other check. */
  readonly isOfMoment?: true;
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
 * @returns `isSound`: every check was made, and none refused the content of the subject
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
      notJudged.push({ name, ruleId, reason: `The schema refuses what it needs: ${unfit.join(', ')}.` });
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
