// What operators are told of a UETR without a payment. One that is stored and not judged yet may still go out: who takes it
// for lost pays twice (PAY-2).
import { whatCameUnder, type CameUnder } from '../db/without-payment.ts';
import type { Db } from '../db/connection.ts';
import { problem, type Problem } from './http/problem.ts';

/** Why there is no payment under this UETR, or none yet. */
export async function withoutPayment(db: Db, uetr: string): Promise<Problem> {
  return problemOf(await whatCameUnder(db, uetr), uetr);
}

/** The same, where it is known what came. */
export function problemOf(came: CameUnder, uetr: string): Problem {
  if (came !== 'not-judged') return problem('unknown-payment', { detail: unknown[came](uetr) });
  const detail = `${uetr} is stored and not judged yet (RCVD). Nothing has left, but it still may: do not pay again. If it stays so, GET /parties (ops parties) says whether a worker runs, GET /alerts (ops alerts) whether it met a defect.`;
  return problem('not-judged-yet', { detail });
}

const unknown: Readonly<Record<Exclude<CameUnder, 'not-judged'>, (uetr: string) => string>> = {
  refused: (uetr) =>
    `There is no payment ${uetr}: what came under it was refused as a repeat (DUP-2); GET /payments/{uetr} shows it.`,
  other: (uetr) => `There is no payment ${uetr}: it is the id of a resolution, or of a page of a book.`,
  nothing: (uetr) =>
    `There is no payment ${uetr}: nothing was taken in under it. What came and was refused at once, before anything was stored, is in the logs only: search them for the UETR.`,
};
