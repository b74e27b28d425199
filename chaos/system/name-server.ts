// A name server on loopback that receives every query and answers none, like the silent name server of a
// party (CBK-3). The processes under test use it instead of the machine's name servers (surroundings.mjs).
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface SilentNameServer {
  /** The host:port of the name server. */
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
