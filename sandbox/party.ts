/**
 * Code that all simulated parties share: their tools, and the functions that journal, accept and refuse
 * messages.
 */
import type { MessageName } from '../core/iso20022/messages.ts';
import { ok } from '../core/result.ts';
import { problem, type PartyAnswer, type PartyRequest } from './http.ts';
import type { Journal, NewEntry } from './journal.ts';
import type { MessageReader } from './messages.ts';

export interface PartyTools {
  readonly journal: Journal;
  readonly reader: MessageReader;
}

/** Builds the journal entry of a received message, with the bytes of the message. */
export function received(
  party: string,
  kind: MessageName,
  request: PartyRequest,
): Pick<NewEntry, 'party' | 'direction' | 'kind' | 'bytes' | 'headers'> {
  const { body: bytes, webhookHeaders } = request;
  const signed = Object.keys(webhookHeaders).length > 0;
  return { party, direction: 'received', kind, bytes, ...(signed ? { headers: webhookHeaders } : {}) };
}

/** Journals a message as a rule violation of the gateway, and refuses it. */
export function refuse(
  journal: Journal,
  entry: Omit<NewEntry, 'httpStatus' | 'violation'>,
  fault: { readonly httpStatus: number; readonly detail: string },
): PartyAnswer {
  journal.record({ ...entry, httpStatus: fault.httpStatus, violation: fault.detail });
  return problem(fault.httpStatus, fault.detail);
}

/** Accepts and journals one page (camt.054) of a daily book. */
export async function takeBook(
  party: string,
  request: PartyRequest,
  { journal, reader }: PartyTools,
): Promise<PartyAnswer> {
  const entry = received(party, 'camt054', request);
  const reading = await reader.read(request.body, 'camt054', ok);
  if (!reading.ok) return refuse(journal, entry, reading.refusal);
  const { messageIdentification: messageId } = reading.value;
  journal.record({ ...entry, messageId, httpStatus: 200 });
  return { status: 200 };
}

export function unknownPath(): PartyAnswer {
  return problem(404, 'no party answers here');
}
