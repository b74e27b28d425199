// An address that nobody registered. The trap records each connection, because it breaks I-7, and resets it
// without an answer.
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { TrapConnection } from '../oracle/evidence.ts';

export interface Trap {
  readonly url: string;
  /** The fault `destination-moves` also adds connections to addresses that are no longer registered. */
  readonly connections: TrapConnection[];
  close(): Promise<void>;
}

export async function openTrap(): Promise<Trap> {
  const connections: TrapConnection[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    connections.push({ at: new Date().toISOString(), address: 'an address that a redirect named' });
    socket.resetAndDestroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/trap`,
    connections,
    close: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}
