// A message as the body of a request or of an answer.
import { z } from '@hono/zod-openapi';
import { baseHeaders } from './response.ts';

/** The request body of a route that takes a message, for the OpenAPI document. */
export const xmlBody = {
  body: {
    required: true,
    content: { 'application/xml': { schema: z.string().openapi({ description: 'The whole message' }) } },
  },
} as const;

const xmlHeaders = {
  ...baseHeaders,
  'content-type': 'application/xml; charset=utf-8',
  'cache-control': 'no-store',
};

export function xml(body: Buffer, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(body, { headers: { ...xmlHeaders, ...headers } });
}
