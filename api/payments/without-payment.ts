// Answers operators who ask about a UETR without a payment. A submission that is not judged yet may still go
// out. If a destination has reported a submission as credited, the payee may have the money. An operator who
// believes that either is lost pays twice.
import { whatCameUnder, type AlertAbout, type CameUnder } from '../../db/payments/without-payment.ts';
import type { Db } from '../../db/pool/connection.ts';
import { problem, type Problem } from '../http/problems/problem.ts';

/** Explains why there is no payment under this UETR, or none yet. */
export async function withoutPayment(db: Db, uetr: string): Promise<Problem> {
  return problemOf(await whatCameUnder(db, uetr), uetr);
}

/** The same as withoutPayment, for messages that were read before. */
export function problemOf(came: CameUnder, uetr: string): Problem {
  switch (came.as) {
    case 'judged':
      return problem('not-judged-yet', { detail: `${uetr} was judged while you asked for it: ask again.` });
    case 'not-judged': {
      const detail = `${uetr} is stored and not judged yet (RCVD). Nothing has left, but it still may: do not pay again. If it stays so, GET /parties (ops parties) says whether a worker runs, GET /alerts (ops alerts) whether it met a defect.`;
      return problem('not-judged-yet', { detail: `${detail}${butAlerts(came, uetr)}` });
    }
    case 'other': {
      const detail = `There is no payment ${uetr}: it is the id of a resolution, or of a page of a book.`;
      return problem('unknown-payment', { detail });
    }
    case 'refused':
    case 'nothing': {
      const beside = butAlerts(came, uetr) || alone[came.as];
      const detail = `There is no payment ${uetr}: ${whyNone[came.as]}${beside}`;
      return problem('unknown-payment', { detail });
    }
  }
}

const whyNone = {
  refused: 'what came under it was refused as a repeat (DUP-2); GET /payments/{uetr} shows it.',
  nothing: 'nothing was taken in under it.',
} as const;

/** Text to add if there is no alert about the UETR. */
const alone = {
  refused: '',
  nothing:
    ' What came and was refused at once, before anything was stored, is in the logs only: search them for the UETR.',
} as const satisfies Record<keyof typeof whyNone, string>;

/**
 * Lists the alerts about the UETR, because a party may have credited the payment all the same. Empty if there
 * are none.
 */
function butAlerts({ alerts, alertCount }: CameUnder, uetr: string): string {
  if (alertCount === 0) return '';
  const more = alertCount - alerts.length;
  const named = [...alerts.map(inWords), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
  return ` But there are alerts about it: ${named}. Do not pay again before you have read them: GET /alerts?subjectId=${uetr}&state=open,taken,closed (ops alerts --state open,taken,closed --subject-id ${uetr}).`;
}

function inWords({ kind, party, reported }: AlertAbout): string {
  const whose = party === null ? '' : ` of ${party}`;
  return `${kind}${whose}${reported === null ? '' : ` (reported ${reported})`}`;
}
