// A final of the destination after the decision: compared, put on record, confirmed where nobody waits for it in an HTTP
// answer, and without any effect on what was decided (PAY-7, PAY-9).
import { randomUUID } from 'node:crypto';
import type { Db } from '../db/connection.ts';
import { askConfirmation } from '../db/deliveries.ts';
import { recordContradiction, type DecidablePayment, type StoredReport } from '../db/decisions.ts';

/** @param report with whether a confirmation is to be sent: it came in an HTTP answer */
export async function takeLateReport(
  db: Db,
  { uetr, destinationSystem, decision }: Pick<DecidablePayment, 'uetr' | 'destinationSystem' | 'decision'>,
  { wantsConfirmation, ...report }: StoredReport & { readonly wantsConfirmation: boolean },
): Promise<void> {
  if (decision === null) throw new Error('a report is late only after a decision');
  if (wantsConfirmation && decision.confirmationMessageId !== null) {
    await askConfirmation(db, {
      deliveryId: randomUUID(),
      uetr,
      messageId: decision.confirmationMessageId,
      party: destinationSystem,
    });
  }
  // last: while it is missing, the sweep comes back to this report (LIF-2)
  await recordContradiction(db, { uetr, party: destinationSystem, decision, report });
}
