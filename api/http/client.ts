// Who is at the other end of a request (SEC-7): where it comes from, as far as limits tell clients apart by it, and until
// when somebody is there.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Context } from 'hono';
import type { WaitingClient } from './turns.ts';

export function clientAddress(context: Context): string {
  const { incoming } = (context.env ?? {}) as { readonly incoming?: IncomingMessage };
  return incoming === undefined ? '' : socketAddress(incoming.socket);
}

/** As whom `Turns` know a client of whom nothing is known but where it comes from. */
export function strangerOf(context: Context): WaitingClient {
  const { incoming } = (context.env ?? {}) as { readonly incoming?: IncomingMessage };
  const connection = incoming?.socket;
  return { closed: () => closed(context), ...(connection && { connection }) };
}

/** Ends when the answer has been sent, or its client is gone. */
export function closed(context: Context): Promise<void> {
  const { outgoing } = (context.env ?? {}) as { readonly outgoing?: ServerResponse };
  return new Promise((resolve) => {
    if (outgoing === undefined || outgoing.closed || outgoing.destroyed)
      resolve(); // one that was never written is not closed, but destroyed
    else outgoing.once('close', resolve);
  });
}

/**
 * An IPv6 address counts as its network of 64 bits, which usually has one owner; an IPv4 address as itself, even if
 * mapped.
 */
export function socketAddress({ remoteAddress: address = '' }: Pick<Socket, 'remoteAddress'>): string {
  if (!address.includes(':')) return address;
  if (address.startsWith('::ffff:') && address.includes('.')) return address.slice('::ffff:'.length);
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  while (groups.length + rest.length < 8) groups.push('0');
  return [...groups, ...rest].slice(0, 4).join(':');
}
