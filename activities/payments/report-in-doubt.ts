// Alerts a person about a payment in doubt: only its destination could end it, but does not answer.
import { recordAuditOnce } from '../../db/records/audit.ts';
import { findPayment } from '../../db/payments/payments.ts';
import type { PaymentLocalActivities } from '../../contract/activities.ts';
import type { ActivityDependencies } from '../dependencies.ts';

export function createReportInDoubt(deps: ActivityDependencies): PaymentLocalActivities['reportInDoubt'] {
  return async function reportInDoubt({ uetr }): Promise<void> {
    const party = (await findPayment(deps.db, uetr))?.destinationSystem ?? undefined;
    const isNew = await recordAuditOnce(deps.db, {
      kind: 'payment.in-doubt',
      subjectId: uetr,
      party,
    });
    if (isNew)
      deps.logger.error({ uetr, party }, 'payment in doubt: ask the destination operator how it ended');
  };
}
