// Turns path, query and JSON body into checked input, or into a 400 that names every fault. This does not use
// Hono's own validation, which stops at the first invalid one of path, query and body. It also accepts a JSON
// body that is too large, is not UTF-8 or repeats a member. The two cost the same for path and query.
import type { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { findRepeatedMembers, findUnstorable, isDeeperThan } from '../../../core/json.ts';
import { isMediaType, isUnencoded } from '../../../core/media-type.ts';
import { bodyFaults, parameterFaults, pointerTo } from '../problems/input-faults.ts';
import { invalidRequest, isProblem, problem, type InputFault, type Problem } from '../problems/problem.ts';

export interface InputSchemas<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType> {
  readonly params?: Params;
  readonly query?: Query;
  /** Schema of the JSON body. It is strict: unknown members are refused. */
  readonly body?: Body;
  /** Maximum size of the body, in bytes; default: 64 KiB. */
  readonly maxBodyBytes?: number;
}

export interface Input<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType> {
  readonly params: z.output<Params>;
  readonly query: z.output<Query>;
  readonly body: z.output<Body>;
  readonly bodyText: string;
}

const usualBodyBytes = 65_536; // most bodies of these routes are some hundred bytes long
const maxFaults = 20;
const maxLevels = 32; // limit for nested objects and arrays; valid bodies have three levels
const jsonTypes = ['application/json'];

/** The input, a problem, or a function that parses the received body. */
export type Received<Value> = Value | Problem | (() => Value | Problem);
export type Receiver<Value> = (context: Context) => Received<Value> | Promise<Received<Value>>;

/**
 * Makes the reader of a route's input, once per route. If there is a body, the reader only waits for its
 * bytes and returns a function that parses them. Parsing blocks the event loop, so call that function in the
 * sender's turn (fair-queue.ts).
 */
export function readInput<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType>(
  schemas: InputSchemas<Params, Query, Body>,
): Receiver<Input<Params, Query, Body>> {
  const { params, query, body, maxBodyBytes = usualBodyBytes } = schemas;
  const queryNames = query === undefined ? [] : Object.keys(query.shape);
  type Result = Input<Params, Query, Body>;

  function readAddress(context: Context): Pick<Result, 'params' | 'query'> | Problem {
    const faults: InputFault[] = [];
    const inPath = context.req.param();
    const inQuery = queryValues(context, queryNames, faults);
    if (context.req.url.includes('%00')) faults.push(...withNull(inPath), ...withNull(inQuery));
    const fromPath = params?.safeParse(inPath);
    const fromQuery = query?.safeParse(inQuery);
    if (faults.length === 0 && fromPath?.success !== false && fromQuery?.success !== false) {
      return { params: fromPath?.data ?? {}, query: fromQuery?.data ?? {} } as Pick<
        Result,
        'params' | 'query'
      >;
    }
    const told = new Set(faults.map((fault) => ('parameter' in fault ? fault.parameter : '')));
    for (const [result, shape, given] of [
      [fromPath, params?.shape, inPath],
      [fromQuery, query?.shape, inQuery],
    ] as const) {
      if (result?.success !== false) continue;
      const found = parameterFaults({ error: result.error, shape, given });
      faults.push(...found.filter((fault) => !('parameter' in fault && told.has(fault.parameter))));
    }
    return invalidRequest(faults.slice(0, maxFaults));
  }

  if (body === undefined) {
    return (context) => {
      const address = readAddress(context);
      if (isProblem(address)) return address;
      // avoid a spread, which costs more than reading the whole input (`npm run bench -- quotes`)
      return { params: address.params, query: address.query, body: undefined, bodyText: '' } as Result;
    };
  }
  return async (context) => {
    const address = readAddress(context);
    if (isProblem(address)) return address;
    const bytes = await receiveBody(context, maxBodyBytes);
    if (isProblem(bytes)) return bytes;
    return () => {
      const text = textOf(bytes);
      if (typeof text !== 'string') return text;
      const parsed = parseJson(text);
      if (isProblem(parsed)) return parsed;
      const result = body.safeParse(parsed.value);
      if (result.success) return { ...address, body: result.data, bodyText: text };
      const { error } = result;
      return invalidRequest(bodyFaults({ error, shape: shapeOf(body), given: parsed.value }, maxFaults));
    };
  };
}

/** Faults of parameters that contain U+0000, which Postgres text cannot hold. */
function withNull(values: Readonly<Record<string, string | undefined>>): readonly InputFault[] {
  return Object.entries(values).flatMap(([parameter, value]) =>
    value?.includes('\0') === true ? [{ parameter, detail: whyUnstorable['null-character'] }] : [],
  );
}

/**
 * Reads each known parameter. A repeated parameter is a fault, because the choice between its values would be
 * arbitrary.
 */
function queryValues(
  context: Context,
  names: readonly string[],
  faults: InputFault[],
): Record<string, string | undefined> {
  const values: Record<string, string | undefined> = {};
  for (const name of names) {
    const given = context.req.queries(name);
    if (given !== undefined && given.length > 1)
      faults.push({ parameter: name, detail: 'given more than once' });
    if (given?.[0] !== undefined) values[name] = given[0];
  }
  return values;
}

/** The members of the body's schema if the body is an object; undefined for any other body. */
function shapeOf(body: z.ZodType): Readonly<Record<string, z.ZodType>> | undefined {
  return 'shape' in body ? (body.shape as Readonly<Record<string, z.ZodType>>) : undefined;
}

async function receiveBody(context: Context, maxBytes: number): Promise<Uint8Array | Problem> {
  const { headers } = context.req.raw;
  if (!isMediaType(headers.get('content-type'), jsonTypes) || !isUnencoded(headers.get('content-encoding'))) {
    return problem('unsupported-media-type', {
      detail: `Send Content-Type: application/json, UTF-8, not compressed${sentInstead(headers)}.`,
    });
  }
  const bytes = await readLimited(context.req.raw, maxBytes);
  const detail = `A body must not exceed ${maxBytes / 1_024} KiB.`;
  return bytes ?? problem('payload-too-large', { detail });
}

function textOf(bytes: Uint8Array): string | Problem {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return invalidRequest([{ pointer: '', detail: 'is not UTF-8' }]);
  }
}

/** Describes the content type of the request, if it is safe to repeat in an answer. */
export function sentInstead(headers: Headers): string {
  const encoding = isUnencoded(headers.get('content-encoding')) ? '' : ' with a Content-Encoding';
  const type = headers.get('content-type');
  if (type === null) return `; not without Content-Type${encoding}`;
  return /^[\w.+/-]{1,60}$/.test(type) ? `; not "${type}"${encoding}` : encoding && `; not${encoding}`;
}

const whyUnstorable = {
  'half-character': 'holds half a character (a lone surrogate)',
  'null-character': 'holds the character U+0000, which nobody can store',
} as const;

function parseJson(text: string): { readonly value: unknown } | Problem {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const detail = text.trim() === '' ? 'is empty; send a JSON object' : 'is not JSON';
    return invalidRequest([{ pointer: '', detail }]);
  }
  // check this first, because the other checks take longer with every level
  if (isDeeperThan(text, maxLevels)) {
    const detail = `is nested deeper than ${maxLevels} levels`;
    return invalidRequest([{ pointer: '', detail }], 'SEC-4');
  }
  const repeated = findRepeatedMembers(text, maxFaults).map((path) => ({
    pointer: pointerTo(path),
    detail: 'occurs more than once in the same object; send it once',
  }));
  if (repeated.length > 0) return invalidRequest(repeated, 'SEC-4');
  const unstorable = text.includes('\\u') ? findUnstorable(text, maxFaults) : [];
  if (unstorable.length === 0) return { value };
  return invalidRequest(
    unstorable.map(({ path, what }) => ({ pointer: pointerTo(path), detail: whyUnstorable[what] })),
    'SEC-4',
  );
}

/**
 * The client closed the connection before its request was complete. This is not an error of the service, and
 * nobody can receive an answer.
 */
export class ClientWentAway extends Error {
  override readonly name = 'ClientWentAway';
}

/**
 * The body arrived in too many small chunks. Receiving a chunk costs as much as receiving some kilobytes in a
 * larger chunk.
 */
export class BodyInPieces extends Error {
  override readonly name = 'BodyInPieces';
}
const mostPieces = 1_000; // a client that writes a message element by element sends some hundreds
const leastPiece = 64; // average bytes per chunk, once there are more than mostPieces chunks

/**
 * Returns the bytes of the body, or undefined if there are more than `limit`. Reading then stops at the
 * limit.
 * @param keeps false: the body is read to its end, but none of it is kept
 * @throws ClientWentAway if the body does not arrive completely
 */
export async function readLimited(
  request: Request,
  limit: number,
  keeps = true,
): Promise<Uint8Array | undefined> {
  const length = request.headers.get('content-length');
  if (length !== null && Number(length) > limit) return undefined;
  try {
    // Node reads no more than Content-Length, so the cheaper read without a stream is safe
    return length === null || !keeps
      ? await readStream(request, limit, keeps)
      : new Uint8Array(await request.arrayBuffer());
  } catch (error) {
    if (error instanceof BodyInPieces) throw error;
    throw new ClientWentAway('the client went away before its request was whole', { cause: error });
  }
}

async function readStream(request: Request, limit: number, keeps: boolean): Promise<Uint8Array | undefined> {
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  let pieces = 0;
  for await (const chunk of request.body as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > limit) return undefined;
    pieces += 1;
    if (pieces > mostPieces && size < pieces * leastPiece) throw new BodyInPieces();
    if (keeps) chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
