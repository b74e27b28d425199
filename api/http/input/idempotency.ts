// The Idempotency-Key header of the three POST routes for rates (FX-10). It takes effect only after the input
// was validated.
import { createHash } from 'node:crypto';
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { renderJson, type JsonValue } from '../../../core/money/money.ts';
import type { Db } from '../../../db/pool/connection.ts';
import { answerOnce, type KeptAnswer } from '../../../db/quotes/idempotency.ts';
import type { Caller } from '../caller.ts';
import { invalidRequest, isProblem, problem, problemBody, type Problem } from '../problems/problem.ts';
import { problems } from '../problems/problems.ts';
import { jsonHeaders } from '../response.ts';

export const idempotencyHeader = z.object({
  'Idempotency-Key': z
    .string()
    .regex(/^[!-~]{1,257}$/)
    .optional()
    .openapi({
      description:
        'Same key and body, same answer, for 24 hours (FX-10); in quotes or bare, at most 255 characters',
      example: 'rate-2026-01-05-1',
    }),
});

export interface IdempotentCall {
  readonly context: Context;
  readonly caller: Caller;
  readonly bodyText: string;
  /** Name of the operation. All paths of a route share it, so that a repeat may use another path. */
  readonly operation: string;
}

type Work = (trx: Db) => Promise<JsonValue | Problem>;

/**
 * Does the work in one transaction, at most once per key. A repeat gets the first answer, even if it was a
 * refusal.
 */
export async function idempotent(db: Db, call: IdempotentCall, work: Work): Promise<Response | Problem> {
  const header = call.context.req.raw.headers.get('idempotency-key');
  if (header === null) return respond(await db.transaction().execute((trx) => answerOf(trx, work)));
  const key = unquoted(header);
  if (!/^[!-~]{1,255}$/.test(key)) {
    return invalidRequest([
      { parameter: 'Idempotency-Key', detail: 'must be 1 to 255 printable ASCII characters without spaces' },
    ]);
  }
  const sha256 = createHash('sha256').update(`${call.operation}\n${call.bodyText}`).digest();
  const outcome = await answerOnce(db, { clientId: call.caller.clientId, key, sha256 }, (trx) =>
    answerOf(trx, work),
  );
  switch (outcome.kind) {
    case 'running':
      return problem('request-in-progress');
    case 'reused':
      return problem('idempotency-key-reused');
    case 'answered':
      return respond(outcome.answer);
  }
}

/** Removes quotes, because a quoted key (an RFC 8941 string) equals the unquoted one. */
function unquoted(header: string): string {
  const [, inQuotes] = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header) ?? [];
  return inQuotes === undefined ? header : inQuotes.replaceAll(/\\(["\\])/g, '$1');
}

async function answerOf(trx: Db, work: Work): Promise<KeptAnswer> {
  const result = await work(trx);
  return isRefusal(result)
    ? { status: problems[result.code].status, body: problemBody(result) }
    : { status: 200, body: renderJson(result) };
}

function isRefusal(result: JsonValue | Problem): result is Problem {
  return typeof result === 'object' && result !== null && isProblem(result);
}

function respond({ status, body }: KeptAnswer): Response {
  const headers = status < 400 ? jsonHeaders : { ...jsonHeaders, 'content-type': 'application/problem+json' };
  return new Response(body, { status, headers });
}
