// A name server on loopback that receives every query and answers none: it stands for a party's silent name server
// (CBK-3). Processes under test use it instead of the machine's name servers (surroundings.mjs).
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface SilentNameServer {
  /** host:port. */
  readonly address: string;
  close(): Promise<void>;
}

export async function openSilentNameServer(): Promise<SilentNameServer> {
  const socket = createSocket('udp4');
  socket.on('error', () => undefined);
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    close: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}
