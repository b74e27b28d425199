// The fault proxy of chaos/system for tests: opened at the top of a test file and closed after its tests.
import { afterAll } from 'vitest';
import { openFaultProxy } from '../../chaos/system/fault-proxy.ts';

export interface TestProxy {
  /** The given address with the proxy's host and port in it. */
  readonly address: string;
  /** RST on every open connection, whatever is under way on it. New ones are taken. */
  reset(): void;
  /** What is asked on the connections that are open arrives and is done, but no answer comes back. */
  keepAnswers(): void;
  /** From now on nothing is read, answered or closed, on open connections and on new ones: no FIN, no RST. */
  blackHole(): Promise<void>;
  /** New connections work again. Those of before stay silent: the host that is back knows nothing of them. */
  heal(): Promise<void>;
}

/** @param address URL or host:port of the real server */
export async function faultProxy(address: string): Promise<TestProxy> {
  const proxy = await openFaultProxy({ target: address });
  afterAll(() => proxy.close());
  return {
    address: proxy.address,
    reset: proxy.reset,
    keepAnswers: proxy.keepAnswers,
    blackHole: () => proxy.conduct('silent'),
    heal: () => proxy.conduct('pass'),
  };
}
