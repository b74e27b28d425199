// Where a request comes from, as far as limits tell clients apart by it (SEC-7).
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Context } from 'hono';

export function clientAddress(context: Context): string {
  const { incoming } = (context.env ?? {}) as { readonly incoming?: IncomingMessage };
  return incoming === undefined ? '' : socketAddress(incoming.socket);
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
