// Which connections there are, by socket and by whom (SEC-7): one by TLS changes its socket once that is agreed, and is the
// same connection.
import type { Socket } from 'node:net';
import { createCrowds, type Way } from './crowds.ts';

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
  /** Of a socket of TLS that was not agreed: its connection, with the socket beneath it. */
  beneath(socket: Socket): One | undefined;
  /** How many one address has. */
  sizeOf(address: string): number;
  /** Which gives way to a new one; see `Crowds`. */
  toGive(address?: string): One | undefined;
  /** From now on it may give way so. */
  mayGive(one: One, way: Way): void;
  enter(one: One): void;
  /** TLS is agreed on a connection that was entered: from now on this is its socket. */
  secure(socket: Socket): void;
  forget(one: One): void;
}

interface BookListeners<One> {
  readonly gives: (one: One, way: Way) => boolean;
  /** A socket has closed, whether its connection is forgotten or not. */
  readonly onGone: (one: One) => void;
}

export function createConnectionBook<One extends Held>({
  gives,
  onGone,
}: BookListeners<One>): ConnectionBook<One> {
  const known = new Map<Socket, One>();
  const crowds = createCrowds(gives);
  const byEnds = new Map<string, One>();

  function forget(one: One): void {
    if (known.delete(one.socket)) crowds.leave(one.address, one);
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
    beneath(socket) {
      const one = byEnds.get(endsOf(socket));
      return one !== undefined && known.has(one.socket) ? one : undefined;
    },
    sizeOf: (address) => crowds.sizeOf(address),
    toGive: (address) => crowds.toGive(address),
    mayGive: ({ address }, way) => crowds.mayGive(address, way),
    enter(one) {
      crowds.join(one.address, one);
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
