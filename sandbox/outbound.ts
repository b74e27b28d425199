/**
 * Sends a destination's separate report to the address that the gateway gave. It uses a token of the clearing system,
 * and signs if that has a key. It retries until the report is received or the attempts are used up. The caller learns
 * of each attempt.
 */
import { Agent, request } from 'undici';
import { signedHeaders, type SigningKeys } from './signed-messages.ts';
import type { TokenSource } from './tokens.ts';

/** One attempt: an answer, or why there was none. */
export type Attempt = {
  /** When it began, ISO 8601. */
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
   * Posts XML until HTTP 2xx.
   * @param delaysMs between attempts
   * @returns the answer that was 2xx; undefined when every attempt failed
   */
  deliver(
    post: Post,
    delaysMs: readonly number[],
    onAttempt: (attempt: Attempt) => void,
  ): Promise<Extract<Attempt, { readonly httpStatus: number }> | undefined>;
  /** Resolves after the delay; never if the sandbox closes first. */
  after(delayMs: number): Promise<void>;
  close(): Promise<void>;
}

const maxAnswerBytes = 64 * 1024;

/** @param keys keys of the payment systems whose destinations sign */
export function openOutbound(tokens: TokenSource, keys: SigningKeys): Outbound {
  const agent = new Agent({
    connections: 32, // for each address of the gateway: as many as the benchmark's closed loop keeps in progress
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
        if (isClosed()) return undefined; // closed by us: not an answer of the gateway
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
