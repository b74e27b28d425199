// Receivers on loopback for tests of what leaves us: servers that behave as each test says, and a post to one of them.
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Server as TcpServer } from 'node:net';
import { afterAll } from 'vitest';
import type { PostResult } from '../../activities/exchange.ts';
import type { Admission, OutboundHttp } from '../../activities/outbound-http.ts';

const servers: (Server | TcpServer)[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

/** Starts it and answers its address; it is closed after the file's tests. */
export async function listening(server: Server | TcpServer): Promise<string> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/iso20022/pacs008`;
}

export async function receiver(listener: RequestListener): Promise<string> {
  return listening(createServer(listener));
}

/** @throws when it is held */
export function entered(http: OutboundHttp, url: string): Admission {
  const admission = http.enter(url);
  if (!admission.admitted) throw new Error(admission.reason);
  return admission;
}

export const message = Buffer.from('<Document/>');
export const headers = { 'content-type': 'application/xml' };

export function post(http: OutboundHttp, url: string): Promise<PostResult> {
  return entered(http, url).post(url, message, headers);
}
