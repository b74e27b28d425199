// Why nothing was due when an operator asked for deliveries again (CBK-1): all was taken, or there is none of that
// kind.
import type { Decider } from '../../core/payments/decision.ts';
import { listTaken } from '../../db/payments/asks.ts';
import type { Db } from '../../db/pool/connection.ts';
import type { ToldKind } from '../../db/deliveries/deliveries.ts';
import { findPayment } from '../../db/payments/payments.ts';
import { readDecision } from '../../db/payments/recorded-outcomes.ts';
import { whatCameUnder } from '../../db/payments/without-payment.ts';
import { problem, type Problem } from '../http/problem.ts';
import { problemOf } from '../payments/without-payment.ts';

/** @param kinds those that were named; undefined: all that were not taken */
export async function nothingToDeliver(
  db: Db,
  subjectId: string,
  kinds: readonly ToldKind[] | undefined,
): Promise<Problem> {
  const taken = await listTaken(db, subjectId);
  if (kinds === undefined && taken.length > 0) {
    const when = taken.map(({ kind, deliveredAt }) => `${kind} ${deliveredAt.toISOString()}`).join(', ');
    const detail = `Everything was delivered: ${when}. To send one of them again, name it in \`kinds\` (ops redeliver --kind).`;
    return problem('nothing-to-deliver', { detail });
  }
  const decision = await readDecision(db, subjectId);
  if (decision !== null) {
    const detail = (kinds ?? []).map((kind) => `${kind}: ${whyNone(kind, decision.decidedBy)}`).join('; ');
    return problem('nothing-to-deliver', detail === '' ? {} : { detail: `${detail}.` });
  }
  if ((await findPayment(db, subjectId)) !== undefined) {
    const detail = 'It has no final status yet: nobody is to be told one.';
    return problem('nothing-to-deliver', { detail });
  }
  const came = await whatCameUnder(db, subjectId);
  return came.as === 'other' ? problem('nothing-to-deliver') : problemOf(came, subjectId);
}

/** Of a payment that is decided. */
function whyNone(kind: ToldKind, decidedBy: Decider): string {
  if (kind === 'notification') return 'only a credited payment with a quote has one (NOT-1)';
  if (kind !== 'confirmation') return 'it has none';
  return decidedBy === 'destination'
    ? 'it was the HTTP answer to the report of the destination, which gets it again by posting its final status again (PAY-9)'
    : 'nothing had left for the destination, which is told nothing';
}
