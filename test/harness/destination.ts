// What a test needs to play a destination operator by hand: its address in the register, and what it reads of our
// messages.
import type { Db } from '../../db/pool/connection.ts';
import { reading } from './listening.ts';

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

/** A destination operator that takes every message and never says how a payment ended. */
export interface SilentDestination {
  /** The instructions that came, by UETR. */
  readonly forwarded: ReadonlyMap<string, Received>;
  /** The confirmations that came, oldest first. */
  readonly confirmations: readonly string[];
  /** Makes it the operator of that id. */
  register(db: Db, operatorId: string): Promise<void>;
}

/** Call it at the top of a test file; it is closed after the file's tests. */
export async function silentDestination(): Promise<SilentDestination> {
  const confirmations: string[] = [];
  const forwarded = new Map<string, Received>();
  const url = await reading((response, body) => {
    const received = receivedOf(body);
    if (received.status === undefined) forwarded.set(received.uetr, received);
    else confirmations.push(body.toString());
    response.writeHead(received.status === undefined ? 202 : 200).end();
  });
  return { forwarded, confirmations, register: (db, operatorId) => setEndpoint(db, operatorId, url) };
}
