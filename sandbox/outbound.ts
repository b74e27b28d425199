/**
 * Sends a destination's separate report to the address that the gateway gave. It logs in with a token of the
 * clearing system, and signs the report if the clearing system has a key. It retries until the gateway
 * accepts the report or no attempts are left. It tells the caller about each attempt.
 */
import { Agent, request } from 'undici';
import { signedHeaders, type SigningKeys } from './signed-messages.ts';
import type { TokenSource } from './tokens.ts';

/** The result of one attempt: the answer, or the reason why there is no answer. */
export type Attempt = {
  /** The start of the attempt, ISO 8601. */
  readonly sentAt: string;
} & (
  | { readonly httpStatus: number; readonly body: Uint8Array }
  | { readonly httpStatus?: undefined; readonly error: string }
);

interface Post {
  readonly url: string;
  readonly clearingSystemId: string;
  readonly body: string;
}

export interface Outbound {
  /**
   * Posts XML until the answer is HTTP 2xx.
   * @param delaysMs delays between the attempts, in milliseconds
   * @returns the body of the 2xx answer; undefined if every attempt failed
   */
  deliver(
    post: Post,
    delaysMs: readonly number[],
    onAttempt: (attempt: Attempt) => void,
  ): Promise<Extract<Attempt, { readonly httpStatus: number }> | undefined>;
  /** Resolves after the delay. It never resolves if the sandbox closes first. */
  after(delayMs: number): Promise<void>;
  close(): Promise<void>;
}

const maxAnswerBytes = 64 * 1024;

/** @param keys keys of the payment systems whose destinations sign their messages */
export function openOutbound(tokens: TokenSource, keys: SigningKeys): Outbound {
  const agent = new Agent({
    connections: 32, // per address of the gateway, as many as the benchmark keeps payments in progress
    pipelining: 1,
    headersTimeout: 5_000,
    bodyTimeout: 10_000,
    connect: { timeout: 5_000 },
  });
  const timers = new Set<NodeJS.Timeout>();
  let closed = false;
  const isClosed = () => closed;

  async function attempt(post: Post): Promise<Attempt> {
    let sentAt = new Date().toISOString();
    try {
      const token = await tokens.tokenFor(post.clearingSystemId);
      sentAt = new Date().toISOString();
      const key = keys.get(post.clearingSystemId);
      const signature = key && signedHeaders({ keyId: post.clearingSystemId, key }, post);
      const { statusCode, body } = await request(post.url, {
        method: 'POST',
        headers: { 'content-type': 'application/xml', authorization: `Bearer ${token}`, ...signature },
        body: post.body,
        dispatcher: agent,
      });
      if (statusCode === 401) tokens.forget(post.clearingSystemId);
      return { sentAt, httpStatus: statusCode, body: await boundedBytes(body) };
    } catch (error) {
      return { sentAt, error: codeOf(error) };
    }
  }

  function after(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      if (closed) return;
      const timer = setTimeout(() => {
        timers.delete(timer);
        resolve();
      }, delayMs);
      timers.add(timer);
    });
  }

  return {
    async deliver(post, delaysMs, onAttempt) {
      for (const delayMs of [0, ...delaysMs]) {
        if (delayMs > 0) await after(delayMs);
        if (isClosed()) return undefined;
        const result = await attempt(post);
        // the sandbox is closing, so this result is not an answer of the gateway
        if (isClosed()) return undefined;
        onAttempt(result);
        if (result.httpStatus !== undefined && result.httpStatus >= 200 && result.httpStatus < 300)
          return result;
      }
      return undefined;
    },
    after,
    close: async () => {
      closed = true;
      for (const timer of timers) clearTimeout(timer);
      await agent.destroy();
    },
  };
}

async function boundedBytes(body: AsyncIterable<Buffer>): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxAnswerBytes) throw new Error('the answer is longer than 64 KiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return (error as NodeJS.ErrnoException).code ?? error.message;
}
