// Who is at the other end of a request: where it comes from, as far as limits tell clients apart by it, and until
// when somebody is there.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BlockList, isIP, isIPv6, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Context } from 'hono';
import type { WaitingClient } from './turns.ts';

/**
 * Where a request comes from.
 * @param proxies whose word counts for where it came to them from; see {@link trusting}
 */
export function clientAddress(context: Context, proxies: BlockList): string {
  const { incoming } = (context.env ?? {}) as { readonly incoming?: IncomingMessage };
  if (incoming === undefined) return '';
  return networkOf(forwardedFrom(incoming.socket.remoteAddress ?? '', incoming.headers, proxies));
}

/** Whether a connection is one of those proxies'. */
export function comesFrom(
  { remoteAddress = '' }: Pick<Socket, 'remoteAddress'>,
  proxies: BlockList,
): boolean {
  return isIn(plain(remoteAddress), proxies);
}

const isIn = (address: string, proxies: BlockList) =>
  isIP(address) !== 0 && proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

/** @param networks addresses, or networks as in `10.0.0.0/8` */
export function trusting(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** In one spelling for each, an IPv4 address as itself, even if mapped; empty where it is no address. */
function plain(address: string): string {
  switch (isIP(address)) {
    case 4:
      return address;
    case 6:
      return ipaddr.process(address.replace(/%.*/, '')).toString(); // a zone is of one machine alone
    default:
      return '';
  }
}

/** Of what a proxy wrote: some add the port, which is another with each connection. */
const hostOf = (hop: string) => /^\[(.*)\](?::\d+)?$/.exec(hop)?.[1] ?? hop.replace(/^([\d.]+):\d+$/, '$1');

/** The last one in `X-Forwarded-For`, from its end, that no proxy of ours has; anything before it may be made up. */
function forwardedFrom(socket: string, headers: IncomingMessage['headers'], proxies: BlockList): string {
  const hops = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  let address = plain(socket);
  while (isIn(address, proxies)) {
    const before = plain(hostOf(hops.pop()?.trim() ?? ''));
    if (before === '') break;
    address = before;
  }
  return address;
}

/** As a turn knows whoever waits for it. */
export const waiting = (context: Context): WaitingClient => ({ closed: () => closed(context) });

/** Ends when the answer has been sent, or its client is gone. */
function closed(context: Context): Promise<void> {
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
export function socketAddress({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>): string {
  return networkOf(remoteAddress);
}

function networkOf(address: string): string {
  const one = plain(address);
  if (!one.includes(':')) return one;
  const groups = ipaddr.IPv6.parse(one).parts.slice(0, 4);
  return groups.map((group) => group.toString(16)).join(':');
}
