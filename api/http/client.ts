// The client of a request: the address by which limits count it, and the time when it disconnects.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BlockList, isIP, isIPv6, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Context } from 'hono';
import { ConfigurationError } from '../../core/settings/environment-variables.ts';
import type { WaitingClient } from './limits/turns.ts';

/**
 * Returns the address by which limits count a client; see {@link socketAddress}. Empty if there is no server.
 * @param proxies proxies whose `X-Forwarded-For` is trusted; see {@link trusting}
 */
export function clientAddress(context: Context, proxies: BlockList): string {
  const { incoming } = (context.env ?? {}) as { readonly incoming?: IncomingMessage };
  return incoming === undefined ? '' : requestAddress(incoming, proxies);
}

export function requestAddress(
  { socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>,
  proxies: BlockList,
): string {
  return networkOf(forwardedFrom(socket.remoteAddress ?? '', headers, proxies));
}

/** Whether a connection comes from one of these proxies. */
export function comesFrom(
  { remoteAddress = '' }: Pick<Socket, 'remoteAddress'>,
  proxies: BlockList,
): boolean {
  return isIn(plain(remoteAddress), proxies);
}

const isIn = (address: string, proxies: BlockList) =>
  isIP(address) !== 0 && proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

/** @param networks addresses, or networks such as `10.0.0.0/8` */
export function trusting(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    try {
      if (bits === undefined) list.addAddress(address, family);
      else list.addSubnet(address, Number(bits), family);
    } catch {
      throw new ConfigurationError(
        `TRUSTED_PROXIES: ${network} is no address or network. Write 10.0.0.0/8, for example.`,
      );
    }
  }
  return list;
}

/**
 * Returns the canonical spelling of an address. A mapped IPv4 address becomes plain IPv4. Empty if it is not
 * an address.
 */
function plain(address: string): string {
  switch (isIP(address)) {
    case 4:
      return address;
    case 6:
      // the zone id is removed, because it has a meaning on one machine only
      return ipaddr.process(address.replace(/%.*/, '')).toString();
    default:
      return '';
  }
}

/** Removes the port that some proxies append, because the port changes with each connection. */
const hostOf = (hop: string) => /^\[(.*)\](?::\d+)?$/.exec(hop)?.[1] ?? hop.replace(/^([\d.]+):\d+$/, '$1');

/**
 * Reads `X-Forwarded-For` from its end, up to the first address that is not a trusted proxy. A client can
 * forge the rest.
 */
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

/** The client of this request, as createTurns needs it (turns.ts). */
export const waiting = (context: Context): WaitingClient => ({ closed: () => closed(context) });

/** Resolves when the answer has been sent, or the client has disconnected. */
function closed(context: Context): Promise<void> {
  const { outgoing } = (context.env ?? {}) as { readonly outgoing?: ServerResponse };
  return new Promise((resolve) => {
    if (outgoing === undefined || outgoing.closed || outgoing.destroyed)
      // a response that was never written is destroyed without being closed
      resolve();
    else outgoing.once('close', resolve);
  });
}

/**
 * The address by which limits count a connection. An IPv6 address counts as its /64 network, which usually
 * has one owner. An IPv4 address counts as itself, even if it is mapped to IPv6.
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
