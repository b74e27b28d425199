// Checks a message before its body is read: its caller, the caller's rate limit, room for the body, size and
// content type. Also checks the signature, if the operator requires one.
import type { Context } from 'hono';
import { aboutRequest, noteStanding } from '../access-log.ts';
import { senderOf, type Authenticator, type BodyCheck, type Caller, type SignatureCheck } from '../caller.ts';
import { isProblem, problem, type Problem } from '../problems/problem.ts';
import type { Quotas } from './quotas.ts';
import type { Turns } from './turns.ts';

/**
 * Receives a message and checks its size and content type. Returns undefined if it passes.
 * @param keeps false: the request is refused afterwards in any case, so the body need not be kept
 */
export type Before = (context: Context, keeps: boolean) => Promise<Problem | undefined>;

export interface Arrival {
  readonly authenticator: Authenticator;
  readonly turns: Turns | undefined;
  readonly context: Context;
  readonly count: Count;
  readonly checkSignature: SignatureCheck | undefined;
  /** Returns the refusal if this caller may not send the message, otherwise undefined. */
  readonly forbid: (caller: Caller) => Problem | undefined;
}

/** Counts a request of a client. Returns the problem if the client's limit is reached. */
export type Count = (context: Pick<Context, 'env'>, caller: Pick<Caller, 'clientId'>) => Problem | undefined;

export function counting(
  quotas: Quotas,
  { method, path }: { readonly method: string; readonly path: string },
  limit: number,
): Count {
  if (limit === 0) return () => undefined;
  return (context, { clientId }) => {
    const standing = quotas.use(`${clientId} ${method} ${path}`, limit);
    noteStanding(context, standing);
    if (!standing.isOver) return undefined;
    const window = standing.isOfSecond ? 'second' : 'minute';
    return problem('too-many-requests', {
      detail: `You have reached your limit of requests for this ${window}. Nothing was stored: send this one again after the number of seconds in Retry-After.`,
      headers: { 'retry-after': String(standing.retrySeconds) },
    });
  };
}

/**
 * Returns the caller, or the first refusal in the order of MSG-2. Authenticates the caller once before the
 * body arrives and once after it. A body may take 30 s to arrive, and an unknown sender's body must not use
 * memory.
 */
export async function authenticateAfter(
  before: Before,
  { authenticator, turns, context, count, checkSignature, forbid }: Arrival,
): Promise<Caller | Problem> {
  const claimed = await authenticator.authenticate(context);
  const isKnown = !isProblem(claimed);
  // the log names the client even if the request is refused
  if (isKnown) aboutRequest(context).client = claimed.clientId;
  const signed = isKnown && checkSignature !== undefined ? await checkSignature(context, claimed) : undefined;
  const over = isKnown
    ? (refusalOf(signed, { context, caller: claimed, count }) ?? forbid(claimed))
    : undefined;
  const room = isKnown && over === undefined ? turns?.makeRoom(senderOf(claimed)) : undefined;
  const hasRoom = over === undefined && typeof room !== 'object';
  try {
    const refusal = await before(context, isKnown && hasRoom);
    if (refusal !== undefined) return refusal;
  } finally {
    if (typeof room === 'function') room();
  }
  if (!isKnown) return claimed;
  if (over !== undefined) return over;
  // authenticate again, because the token may have expired meanwhile
  const caller = await authenticator.authenticate(context);
  if (typeof room === 'object') return room;
  if (signed === undefined || isProblem(signed) || isProblem(caller)) return caller;
  return (await signed(context.get('message'))) ?? caller;
}

/**
 * Counts the unsigned requests of a caller separately. A thief who has only the caller's token must not use
 * up its operator's limit. The body of such a request gets no room either.
 */
function refusalOf(
  signed: Problem | BodyCheck | undefined,
  { context, caller, count }: Pick<Arrival, 'context' | 'count'> & { readonly caller: Caller },
): Problem | undefined {
  if (!isProblem(signed)) return count(context, caller);
  if (signed.code !== 'signature-refused') return signed; // the signature could not be checked
  const over = count(context, { clientId: `${caller.clientId} unsigned` });
  return over === undefined
    ? signed
    : {
        ...over,
        detail: `${over.detail} This limit counts requests without the signature that their operator requires.`,
      };
}
