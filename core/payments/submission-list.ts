/**
 * Lists submissions, both payments and resolutions, with the answer so far. A submission is in the list from
 * the moment that it is stored.
 */
import type { ListPlace } from '../list-place.ts';

/** The messages that a source submits. */
export const submittedMessages = ['pacs008', 'acmt023'] as const;
export type SubmittedMessage = (typeof submittedMessages)[number];

/**
 * - `stored`: not judged yet, so nothing was sent to any party; the sweep restarts lost executions
 * - `asking`: a resolution whose party was asked and has not answered
 * - `answered`: the source has its answer; for a payment it is the first one, ACTC or RJCT
 */
export const submissionStates = ['stored', 'asking', 'answered'] as const;
export type SubmissionState = (typeof submissionStates)[number];

export interface SubmissionFilter {
  /**
   * The clearing system that reads the list, and sees only its own submissions; undefined if the reader sees
   * all.
   */
  readonly scope?: string;
  readonly message?: SubmittedMessage;
  readonly states?: readonly SubmissionState[];
  /** The clearing system that sent the submission. */
  readonly party?: string;
  /** MsgId. */
  readonly messageIdentification?: string;
  readonly subjectId?: string;
  /** The time when the submission was stored; `from` is inclusive, `to` exclusive. */
  readonly from?: Date;
  readonly to?: Date;
  /** Minimum number of seconds since the submission was stored, by the database clock. */
  readonly olderThanSeconds?: number;
}

/** One submission in a list. It contains ids, codes and times, but no personal data. */
export interface ListedSubmission {
  readonly submissionId: string;
  readonly message: SubmittedMessage;
  readonly messageIdentification: string;
  /** UETR of the payment; or the submission's own id, which is the id of the resolution. */
  readonly subjectId: string;
  readonly party: string;
  readonly storedAt: Date;
  readonly state: SubmissionState;
  /** For a payment: the status in the answer. */
  readonly status: string | null;
  /** For a resolution: the answer. */
  readonly verified: boolean | null;
  readonly reasonCode: string | null;
  readonly answeredAt: Date | null;
  /** Whether a defect prevents an answer; an alert was raised. */
  readonly isUnanswerable: boolean;
}

export interface SubmissionPage {
  readonly submissions: readonly ListedSubmission[];
  /** Start of the next page; undefined after the last page. */
  readonly next: ListPlace | undefined;
}
