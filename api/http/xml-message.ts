// A message as the body of an answer.
import { baseHeaders } from './response.ts';

const xmlHeaders = {
  ...baseHeaders,
  'content-type': 'application/xml; charset=utf-8',
  'cache-control': 'no-store',
};

const maxRefusalLength = 1_000; // well within what proxies let through of a header

/**
 * What is said beside an answer that refuses, as a header (MSG-13). Whatever was stored, a header takes printable ASCII:
 * an answer must not fail for what is beside it (SEC-9).
 */
export function refusalHeader(refusal: string | null): Readonly<Record<string, string>> {
  if (refusal === null) return {};
  return { 'isthmus-rejection': refusal.replaceAll(/[^ -~]/g, '?').slice(0, maxRefusalLength) };
}

export function xml(body: Buffer, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(body, { headers: { ...xmlHeaders, ...headers } });
}
