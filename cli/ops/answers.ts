// Types of the gateway's answers that `isthmus ops` shows, after `read` has parsed them.
import type { sentSchema } from '../../api/books/sent-books.ts';
import type { alertPageSchema, alertWithEntriesSchema } from '../../api/operations/case-schemas.ts';
import type { hindrancesOfManySchema, hindrancesSchema } from '../../api/operations/hindrances.ts';
import type { outcomeSchema, settlingSchema } from '../../api/operations/outcome-schemas.ts';
import type { partiesSchema } from '../../api/operations/parties.ts';
import type { pauseSchema, recordedPauseSchema } from '../../api/operations/pauses.ts';
import type { deadLetterSchema } from '../../api/operations/redeliveries.ts';
import type { evidenceSchema, paymentListSchema } from '../../api/payments/payment-schemas.ts';
import type { submissionPageSchema } from '../../api/payments/submission-list.ts';
import type { Shown } from '../gateway.ts';

export type PaymentPage = Shown<typeof paymentListSchema>;
export type ShownPayment = PaymentPage['payments'][number];
export type SubmissionPage = Shown<typeof submissionPageSchema>;
export type ShownSubmission = SubmissionPage['submissions'][number];
export type AlertPage = Shown<typeof alertPageSchema>;
export type ShownAlert = AlertPage['alerts'][number];
export type AlertWithEntries = Shown<typeof alertWithEntriesSchema>;
export type ShownEntry = AlertWithEntries['entries'][number];
export type ShownEvidence = Shown<typeof evidenceSchema>;
export type ShownDelivery = ShownEvidence['deliveries'][number];
export type ShownOutcome = Shown<typeof outcomeSchema>;
export type Settling = Shown<typeof settlingSchema>;
export type ShownParties = Shown<typeof partiesSchema>;
export type StandingPause = Shown<typeof pauseSchema>;
export type ShownPause = Shown<typeof recordedPauseSchema>;
export type ShownBook = Shown<typeof sentSchema>;
/**
 * What delays the messages of one payment, or of several. Only the second form has a `number` in its items.
 */
export type ShownHindrances = Shown<typeof hindrancesSchema> | Shown<typeof hindrancesOfManySchema>;
export interface Redelivery {
  readonly kinds: readonly string[];
  readonly hindrances: ShownHindrances;
}
export interface Redeliveries {
  readonly redelivered: string;
  readonly total: string;
  readonly deadLetters: readonly Shown<typeof deadLetterSchema>[];
  readonly hindrances: ShownHindrances;
}
export interface Enquiry {
  readonly asked: boolean;
  readonly hindrances: ShownHindrances;
}
