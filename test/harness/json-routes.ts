// The routes of a running gateway that answer with JSON, as a client of it calls them. Every such answer is held against
// the OpenAPI document that the gateway serves.
import { conformanceWith, type OpenApiDocument } from './conformance.ts';
import type { TestGateway } from './gateway.ts';

export interface JsonAnswer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  /** An empty object where the answer is no JSON. */
  readonly body: Body;
}

/**
 * @param path with its query; or a whole address, as in a Link header
 * @param client whose token it bears; null: none. Default: operator.
 */
export type AskJson<Body> = (
  method: 'GET' | 'POST',
  path: string,
  body?: object,
  client?: string | null,
) => Promise<JsonAnswer<Body>>;

/** `Body`: what the tests of a file read of any answer. */
export async function jsonRoutes<Body = unknown>(gateway: TestGateway): Promise<AskJson<Body>> {
  const document = await fetch(`${gateway.url}/openapi.json`);
  const conformance = conformanceWith((await document.json()) as OpenApiDocument);
  return async (method, path, body, client = 'operator') => {
    const url = new URL(path, gateway.url);
    const response = await fetch(url, {
      method,
      headers: {
        ...(client !== null && { authorization: `Bearer ${await gateway.token(client)}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { status, headers } = response;
    const bytes = Buffer.from(await response.arrayBuffer());
    const contentType = headers.get('content-type');
    const isJson = contentType?.includes('json') === true;
    const answer: unknown = isJson ? JSON.parse(bytes.toString()) : {};
    const whole = `${url.pathname}${url.search}`;
    conformance.check({ method, path: whole, status, contentType, body: isJson ? answer : undefined });
    return { status, headers, bytes, body: answer as Body };
  };
}
