// A TCP proxy in front of a real server (Postgres, Temporal, a party) that fails as networks and hosts do: it resets what
// is open, or falls silent without a word, as a host does that lost its power. It must not know what it carries.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll } from 'vitest';

export interface FaultProxy {
  /** The given address with the proxy's host and port in it. */
  readonly address: string;
  /** RST on every open connection, whatever is under way on it. New ones are taken. */
  reset(): void;
  /** What is asked on the connections that are open arrives and is done, but no answer comes back. */
  keepAnswers(): void;
  /** From now on nothing is read, answered or closed, on open connections and on new ones: no FIN, no RST. */
  blackHole(): void;
  /** New connections work again. Those of before stay silent: the host that is back knows nothing of them. */
  heal(): void;
}

interface Pair {
  readonly near: Socket;
  readonly far: Socket | undefined;
  isSilent: boolean;
}

/**
 * Call it at the top of a test file; it is closed after the file's tests.
 * @param address URL or host:port of the real server
 */
export async function faultProxy(address: string): Promise<FaultProxy> {
  const isUrl = address.includes('://');
  const target = new URL(isUrl ? address : `tcp://${address}`);
  const pairs = new Set<Pair>();
  let isBlackHole = false;

  // Half-open: a FIN that arrives is not answered of itself. Paused: what arrives is not even read.
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true }, (near) => {
    near.on('error', () => undefined);
    if (isBlackHole) {
      pairs.add({ near, far: undefined, isSilent: true });
      return;
    }
    const far = connect({ host: target.hostname, port: Number(target.port), noDelay: true });
    const pair: Pair = { near, far, isSilent: false };
    pairs.add(pair);
    far.on('error', () => near.resetAndDestroy());
    near.pipe(far);
    far.pipe(near);
    const over = () => {
      if (pair.isSilent) return;
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    near.once('close', over);
    far.once('close', over);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    server.close();
    for (const { near, far } of pairs) {
      near.destroy();
      far?.destroy();
    }
  });

  const { port } = server.address() as AddressInfo;
  const own = new URL(target);
  own.host = `127.0.0.1:${port}`;
  return {
    address: isUrl ? own.href : own.host,
    reset: () => {
      for (const { near, isSilent } of pairs) if (!isSilent) near.resetAndDestroy();
    },
    keepAnswers: () => {
      for (const { near, far } of pairs) far?.unpipe(near).pause();
    },
    blackHole: () => {
      isBlackHole = true;
      for (const pair of pairs) {
        pair.isSilent = true;
        pair.near.unpipe().pause();
        pair.far?.unpipe().pause();
      }
    },
    heal: () => {
      isBlackHole = false;
    },
  };
}
