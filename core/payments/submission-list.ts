/**
 * Lists of what sources have sent: payments and resolutions alike, from the moment that they are stored, and what has
 * been answered so far.
 */
import type { ListPlace } from '../list-place.ts';

/** What a source submits. */
export const submittedMessages = ['pacs008', 'acmt023'] as const;
export type SubmittedMessage = (typeof submittedMessages)[number];

/**
 * - `stored`: nobody has judged it yet, so nothing has left for anybody; the sweep starts what was lost
 * - `asking`: a resolution: a party is asked, and has not answered
 * - `answered`: its source has its answer; of a payment the first one, ACTC or RJCT
 */
export const submissionStates = ['stored', 'asking', 'answered'] as const;
export type SubmissionState = (typeof submissionStates)[number];

export interface SubmissionFilter {
  /** The clearing system that asks, and sees its own; undefined: all. */
  readonly scope?: string;
  readonly message?: SubmittedMessage;
  readonly states?: readonly SubmissionState[];
  /** The clearing system that sent it. */
  readonly party?: string;
  /** Its MsgId. */
  readonly messageIdentification?: string;
  readonly subjectId?: string;
  /** When it was stored: from then on, and before then. */
  readonly from?: Date;
  readonly to?: Date;
  /** Seconds since it was stored, at least, by the database clock. */
  readonly olderThanSeconds?: number;
}

/** Ids, codes and times; no personal data. */
export interface ListedSubmission {
  readonly submissionId: string;
  readonly message: SubmittedMessage;
  readonly messageIdentification: string;
  /** UETR of the payment, or the submission's own id: that of the resolution. */
  readonly subjectId: string;
  readonly party: string;
  readonly storedAt: Date;
  readonly state: SubmissionState;
  /** Of the payment: the status that was answered. */
  readonly status: string | null;
  /** Of the resolution: what was answered. */
  readonly verified: boolean | null;
  readonly reasonCode: string | null;
  readonly answeredAt: Date | null;
  /** A defect of ours keeps it from being answered: a person has an alert. */
  readonly isUnanswerable: boolean;
}

export interface SubmissionPage {
  readonly submissions: readonly ListedSubmission[];
  /** Where the next page begins; undefined: this is the last one. */
  readonly next: ListPlace | undefined;
}
