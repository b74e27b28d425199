// Servers that tests play parties with: on a free port of loopback, and gone with the file's tests.
import { once } from 'node:events';
import {
  createServer,
  Server,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Server as TcpServer } from 'node:net';
import { afterAll } from 'vitest';

const servers: (Server | TcpServer)[] = [];
afterAll(() => {
  for (const server of servers) {
    if (server instanceof Server) server.closeAllConnections();
    server.close();
  }
});

/** Starts it and answers its address, without a path; it is closed after the file's tests. */
export async function listening(party: Server | TcpServer | RequestListener): Promise<string> {
  const server = typeof party === 'function' ? createServer(party) : party;
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The same for a party that reads each message before it says anything. */
export function reading(
  answer: (response: ServerResponse, body: Buffer, request: IncomingMessage) => void,
): Promise<string> {
  return listening((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => answer(response, Buffer.concat(chunks), request));
  });
}

/** What a party in between passes on with a message: what it is, and by whom it is signed (CBK-2). */
export function passedOn({ headers }: IncomingMessage): Record<string, string> {
  const named = (name: string) => name === 'content-type' || name.startsWith('webhook-');
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      named(name) && typeof value === 'string' ? [[name, value]] : [],
    ),
  );
}
