// Answers a request with an XML message as the body.
import { openOrTell } from '../../db/records/changed-messages.ts';
import type { Db } from '../../db/pool/connection.ts';
import { loadAnswer } from '../../db/records/messages.ts';
import { problem, type Problem } from './problems/problem.ts';
import { baseHeaders } from './response.ts';

const xmlHeaders = {
  ...baseHeaders,
  'content-type': 'application/xml; charset=utf-8',
  'cache-control': 'no-store',
};

const maxRefusalLength = 1_000; // well below the header limits of proxies

/**
 * Returns the header with the full text of a refusal. Characters outside printable ASCII are replaced, so
 * that an invalid header cannot break the answer.
 */
function refusalHeader(refusal: string | null): Readonly<Record<string, string>> {
  if (refusal === null) return {};
  return { 'isthmus-rejection': refusal.replaceAll(/[^ -~]/g, '?').slice(0, maxRefusalLength) };
}

export function xml(body: Buffer, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(body, { headers: { ...xmlHeaders, ...headers } });
}

/** Tells the sender to wait for the restored answer, and never to send another payment instead. */
export const answerChanged =
  'Your message is on record and stays as it is. The stored copy of its answer fails its integrity check, so the answer is not sent. The operators are alerted and can restore it: send the same bytes again later, and nothing else in their place.';

/**
 * Returns a stored answer, byte for byte, if it is still kept. A header contains the full text of a refusal.
 */
export async function storedAnswer(
  db: Db,
  messageId: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response | Problem> {
  const answer = await openOrTell(db, messageId, () => loadAnswer(db, messageId));
  if (answer === 'changed') return problem('message-changed', { detail: answerChanged });
  const { body, refusal } = answer;
  if (body === null) return problem('message-not-kept');
  return xml(body, { ...headers, ...refusalHeader(refusal) });
}
