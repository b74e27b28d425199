// A destination operator that answers the first instruction of a payment late, with ACCC in the HTTP answer, and every
// further one with 202; it takes every confirmation.
import type { Db } from '../../db/pool/connection.ts';
import { receivedOf, setEndpoint } from './destination.ts';
import { reading } from './listening.ts';
import { reportOn } from './reports.ts';

export interface LateDestination {
  /** Milliseconds from an instruction to its answer. */
  answerAfterMs: number;
  /** How often the instruction of a payment came. */
  sends(uetr: string): number;
  /** The statuses of the confirmations that came after the ACCC of a payment was given. */
  toldSince(uetr: string): readonly string[];
  /** Makes it the operator of that id. */
  register(db: Db, operatorId: string): Promise<void>;
}

/** Call it at the top of a test file; it is closed after the file's tests. */
export async function lateDestination(answerAfterMs: number): Promise<LateDestination> {
  const told: { uetr: string; status: string; at: number }[] = [];
  const sends = new Map<string, number>();
  const credited = new Map<string, number>();
  const url = await reading((response, body) => {
    const { messageIdentification, uetr, status } = receivedOf(body);
    if (status !== undefined) {
      told.push({ uetr, status, at: Date.now() });
      response.writeHead(200).end();
      return;
    }
    const nth = (sends.get(uetr) ?? 0) + 1;
    sends.set(uetr, nth);
    if (nth > 1) {
      response.writeHead(202).end();
      return;
    }
    setTimeout(() => {
      credited.set(uetr, Date.now());
      response
        .writeHead(200, { 'content-type': 'application/xml' })
        .end(reportOn({ messageIdentification, uetr }));
    }, destination.answerAfterMs);
  });
  const destination: LateDestination = {
    answerAfterMs,
    sends: (uetr) => sends.get(uetr) ?? 0,
    toldSince: (uetr) => {
      const since = credited.get(uetr) ?? Infinity;
      return told.filter((one) => one.uetr === uetr && one.at >= since).map(({ status }) => status);
    },
    register: (db, operatorId) => setEndpoint(db, operatorId, url),
  };
  return destination;
}
