// A load generator with a fixed number of clients. Each client sends its next request after the answer to the
// previous one.
import { Pool } from 'undici';
import { quantile } from './closed-count.ts';

export interface LoopRequest {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface LoopOptions {
  readonly url: string;
  readonly clients: number;
  readonly seconds: number;
  /** Returns the n-th request, counted over all clients. */
  readonly request: (n: number) => LoopRequest;
}

export interface LoopResult {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** @throws Error at the first status other than 200, because a fast refusal would distort the measurement */
export async function closedLoop(options: LoopOptions): Promise<LoopResult> {
  const pool = new Pool(options.url, { connections: options.clients });
  const durations: number[] = [];
  let sent = 0;
  const start = performance.now();
  const end = start + options.seconds * 1_000;
  async function client(): Promise<void> {
    while (performance.now() < end) {
      const { path, headers } = options.request(sent++);
      const before = performance.now();
      const answer = await pool.request({
        path,
        method: 'GET',
        ...(headers === undefined ? {} : { headers }),
      });
      const text = await answer.body.text();
      if (answer.statusCode !== 200)
        throw new Error(`${path} answered ${answer.statusCode}: ${text.slice(0, 300)}`);
      durations.push(performance.now() - before);
    }
  }
  try {
    await Promise.all(Array.from({ length: options.clients }, client));
  } finally {
    await pool.close();
  }
  const elapsed = (performance.now() - start) / 1_000;
  return {
    requests: durations.length,
    perSecond: durations.length / elapsed,
    p50Ms: quantile(durations, 0.5),
    p99Ms: quantile(durations, 0.99),
  };
}

/** Averages the requests per second and the quantiles of several runs. */
export function average(results: readonly LoopResult[]): LoopResult {
  const mean = (value: (result: LoopResult) => number) =>
    results.reduce((sum, result) => sum + value(result), 0) / results.length;
  return {
    requests: results.reduce((sum, result) => sum + result.requests, 0),
    perSecond: mean((result) => result.perSecond),
    p50Ms: mean((result) => result.p50Ms),
    p99Ms: mean((result) => result.p99Ms),
  };
}
