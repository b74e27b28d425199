// What a test needs to play a destination operator by hand: its address in the register, and what it reads of our
// messages.
import type { Db } from '../../db/connection.ts';

/** Registers another address of an operator. */
export async function setEndpoint(db: Db, operatorId: string, url: string): Promise<void> {
  await db
    .updateTable('operators')
    .set({ endpoint_url: url })
    .where('operator_id', '=', operatorId)
    .execute();
}

/** An instruction has no status, a confirmation has. */
export interface Received {
  readonly messageIdentification: string;
  readonly uetr: string;
  readonly status: string | undefined;
}

export function receivedOf(body: Buffer): Received {
  const text = body.toString();
  return {
    messageIdentification: /<MsgId>([^<]+)</.exec(text)?.[1] ?? '',
    uetr: /UETR>([^<]+)</.exec(text)?.[1] ?? '',
    status: /<TxSts>([^<]+)</.exec(text)?.[1],
  };
}
