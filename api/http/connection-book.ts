// Which connections there are, by socket and by whom (SEC-7): one by TLS changes its socket once that is agreed, and is the
// same connection.
import type { Socket } from 'node:net';

export interface Held {
  /** Changed by `secure` alone. */
  socket: Socket;
  readonly address: string;
}

export interface ConnectionBook<One extends Held> {
  readonly size: number;
  /** The oldest first. */
  all(): Iterable<One>;
  of(socket: Socket): One | undefined;
  /** Those of one address, the oldest first. */
  ofAddress(address: string): ReadonlySet<One>;
  /** Those of the address that has the most. */
  largest(): ReadonlySet<One>;
  enter(one: One): void;
  /** TLS is agreed on a connection that was entered: from now on this is its socket. */
  secure(socket: Socket): void;
  forget(one: One): void;
}

const none: ReadonlySet<never> = new Set();

/** @param onGone a socket has closed, whether its connection is forgotten or not */
export function createConnectionBook<One extends Held>(onGone: (one: One) => void): ConnectionBook<One> {
  const known = new Map<Socket, One>();
  const byAddress = new Map<string, Set<One>>();
  const byEnds = new Map<string, One>();

  function forget(one: One): void {
    if (!known.delete(one.socket)) return;
    const own = byAddress.get(one.address);
    own?.delete(one);
    if (own?.size === 0) byAddress.delete(one.address);
  }

  function know(one: One): void {
    known.set(one.socket, one);
    one.socket.once('close', () => {
      forget(one);
      onGone(one);
    });
  }

  return {
    get size() {
      return known.size;
    },
    all: () => known.values(),
    of: (socket) => known.get(socket),
    ofAddress: (address) => byAddress.get(address) ?? none,
    largest() {
      let found: ReadonlySet<One> = none;
      for (const crowd of byAddress.values()) if (crowd.size > found.size) found = crowd;
      return found;
    },
    enter(one) {
      const own = byAddress.get(one.address) ?? new Set();
      byAddress.set(one.address, own.add(one));
      know(one);
      const ends = endsOf(one.socket);
      byEnds.set(ends, one);
      one.socket.once('close', () => {
        if (byEnds.get(ends) === one) byEnds.delete(ends);
      });
    },
    secure(socket) {
      const one = byEnds.get(endsOf(socket));
      if (one === undefined || !known.delete(one.socket)) {
        socket.destroy(); // it was forgotten meanwhile
        return;
      }
      one.socket = socket;
      know(one);
    },
    forget,
  };
}

/** Of a connection to a port of ours; the host may have several addresses. */
const endsOf = ({ remoteAddress, remotePort, localAddress }: Socket) =>
  `${remoteAddress ?? ''} ${remotePort ?? 0} ${localAddress ?? ''}`;
