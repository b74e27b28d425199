// Receivers on loopback for tests of what leaves us: servers that behave as each test says, and a post to one of them.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { Server as TcpServer } from 'node:net';
import type { PostResult } from '../../../activities/wire/exchange.ts';
import type { Admission, Outbound } from '../../../activities/wire/outbound.ts';
import { listening as listeningAt } from '../../harness/listening.ts';

/** Starts it and answers the address of its messages; it is closed after the file's tests. */
export async function listening(server: Server | TcpServer): Promise<string> {
  return `${await listeningAt(server)}/iso20022/pacs008`;
}

export async function receiver(listener: RequestListener): Promise<string> {
  return listening(createServer(listener));
}

/** @throws when it is held */
export function entered(http: Outbound, url: string): Admission {
  const admission = http.enter(url);
  if (!admission.admitted) throw new Error(admission.reason);
  return admission;
}

export const message = Buffer.from('<Document/>');
export const headers = { 'content-type': 'application/xml' };

export function post(http: Outbound, url: string): Promise<PostResult> {
  return entered(http, url).post(url, message, headers);
}
