/**
 * Simulates the callback endpoints of the source operators: `POST /callbacks/{clearingSystemId}/pacs002` and
 * `/acmt024`. They receive and journal the gateway's final messages. The source operators send nothing; tests
 * and the demo submit the payments.
 */
import { isFinal } from '../core/payments/report.ts';
import type { PartyAnswer, PartyRequest } from './http.ts';
import { sha256Of } from './journal.ts';
import { acmt024Values, pacs002Values } from './messages.ts';
import { received, refuse, unknownPath, type PartyTools } from './party.ts';

/** @returns the request handler of all source operators */
export function sourceOperators(
  clearingSystemIds: ReadonlySet<string>,
  tools: PartyTools,
): (request: PartyRequest) => Promise<PartyAnswer> {
  const { journal, reader } = tools;
  /** The SHA-256 of the first final pacs.002, by UETR. */
  const told = new Map<string, string>();
  /** The SHA-256 of the first acmt.024, by party and MsgId of the request. */
  const answered = new Map<string, string>();

  /** Checks that the gateway reports only one final status for each payment, always with the same bytes. */
  function violationOf(uetr: string, status: string, bytes: Uint8Array): string | undefined {
    if (!isFinal(status)) return `PAY-1: ${status} is not final and has no place in a callback`;
    const sha256 = sha256Of(bytes);
    const first = told.get(uetr);
    if (first === undefined) told.set(uetr, sha256);
    return first === undefined || first === sha256 ? undefined : 'I-3: a second, different final pacs.002';
  }

  async function takePacs002(party: string, request: PartyRequest): Promise<PartyAnswer> {
    const entry = received(party, 'pacs002', request);
    const reading = await reader.read(request.body, 'pacs002', pacs002Values);
    if (!reading.ok) return refuse(journal, entry, reading.refusal);
    const { messageIdentification: messageId, uetr = '', values } = reading.value;
    const { status, reasonCode } = values;
    const repeat = told.has(uetr);
    const violation = violationOf(uetr, status, request.body);
    journal.record({
      ...entry,
      uetr,
      messageId,
      status,
      httpStatus: 200,
      ...(reasonCode === undefined ? {} : { reasonCode }),
      ...(violation === undefined ? {} : { violation }),
      ...(repeat ? { note: 'repeat' } : {}),
    });
    return { status: 200 };
  }

  async function takeAcmt024(party: string, request: PartyRequest): Promise<PartyAnswer> {
    const entry = received(party, 'acmt024', request);
    const reading = await reader.read(request.body, 'acmt024', acmt024Values);
    if (!reading.ok) return refuse(journal, entry, reading.refusal);
    const { messageIdentification: messageId, values } = reading.value;
    const { verified, reasonCode, original } = values;
    const key = `${party} ${original.messageIdentification}`;
    const sha256 = sha256Of(request.body);
    const first = answered.get(key);
    answered.set(key, first ?? sha256);
    journal.record({
      ...entry,
      messageId,
      status: String(verified),
      httpStatus: 200,
      ...(reasonCode === undefined ? {} : { reasonCode }),
      ...(first === undefined ? {} : { note: 'repeat' }),
      ...(first === undefined || first === sha256
        ? {}
        : { violation: 'RES-1: a second, different answer to one request' }),
    });
    return { status: 200 };
  }

  return async (request) => {
    const [root, clearingSystemId = '', message, ...rest] = request.path;
    if (root !== 'callbacks' || rest.length > 0 || !clearingSystemIds.has(clearingSystemId)) {
      return unknownPath();
    }
    const party = `source/${clearingSystemId}`;
    if (message === 'pacs002') return takePacs002(party, request);
    if (message === 'acmt024') return takeAcmt024(party, request);
    return unknownPath();
  };
}
