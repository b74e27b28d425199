// Opens the connections of outbound.ts. It resolves the name, checks every address, connects to a checked
// one, and checks the peer's address again (against DNS rebinding). A failure here is NOT_SENT, because no
// byte of the request has left.
import net from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';
import type { ReceiverCertificates } from '../../core/settings/receivers.ts';
import { errorClassOf } from './error-class.ts';
import { NameError, type NameResolver } from './resolve-name.ts';

/** Thrown before a request is written, so the receiver cannot have read anything. */
class ConnectError extends Error {
  override readonly name = 'ConnectError';
  readonly errorClass: string;

  constructor(errorClass: string) {
    super(errorClass);
    this.errorClass = errorClass;
  }
}

export interface ConnectorOptions {
  readonly resolver: NameResolver;
  readonly allowLoopback: boolean;
  /** Milliseconds to connect, for all addresses together, excluding the name resolution. */
  readonly timeoutMs: number;
  /** Client certificates and trusted CAs for receivers, by `host:port`. */
  readonly certificates: ReceiverCertificates;
}

export interface Connector {
  /** @returns a function that cancels the attempt to connect; then no further address is tried */
  readonly connect: (...args: Parameters<buildConnector.connector>) => () => void;
}

interface Connecting {
  isOver: boolean;
  connecting?: net.Socket;
}

const maxAddresses = 5; // Per name. Each address then has at least 1 s of the 5 s of SEC-5.

// Ranges that ipaddr.js classifies as unicast but that are not part of the public internet.
const otherForbidden = [ipaddr.parseCIDR('::/96'), ipaddr.parseCIDR('168.63.129.16/32')];

/**
 * Whether an address is public unicast, or loopback if demos allow that.
 * @internal exported for tests
 */
export function isAllowedAddress(address: string, allowLoopback: boolean): boolean {
  const parsed = ipaddr.process(address);
  if (allowLoopback && parsed.range() === 'loopback') return true;
  if (parsed.range() !== 'unicast') return false;
  return !otherForbidden.some(([range, bits]) => parsed.kind() === range.kind() && parsed.match(range, bits));
}

export function createConnector(options: ConnectorOptions): Connector {
  const opens = new Map([...options.certificates].map(([receiver, own]) => [receiver, opening(own)]));
  return {
    connect: (target, callback) => {
      const state: Connecting = { isOver: false };
      const open = opens.get(`${target.hostname}:${target.port}`) ?? openPlain;
      connect(target, { ...options, open }, state).then(
        (socket) => callback(null, socket),
        (error: unknown) => callback(toConnectError(error), null),
      );
      return () => {
        state.isOver = true;
        state.connecting?.destroy(new ConnectError('closed'));
      };
    },
  };
}

function toConnectError(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error;
  return new ConnectError(error instanceof NameError ? error.errorClass : errorClassOf(error));
}

/** A function, because the flag may have changed since the last check. */
const isOver = (state: Connecting): boolean => state.isOver;

/** Tries one address after the other, within one time limit. */
async function connect(
  target: buildConnector.Options,
  { resolver, allowLoopback, timeoutMs, open }: ConnectorOptions & { readonly open: Open },
  state: Connecting,
): Promise<net.Socket> {
  const host = target.hostname.replace(/^\[|\]$/g, '');
  const isName = net.isIP(host) === 0;
  const addresses = isName ? await resolver.resolve(host) : [host];
  const isAllowed = (address: string | undefined) =>
    address !== undefined && isAllowedAddress(address, allowLoopback);
  if (!addresses.every(isAllowed)) throw new ConnectError('address-forbidden');
  const until = performance.now() + timeoutMs;
  const turns = addresses.slice(0, maxAddresses);
  const failures: unknown[] = [];
  for (const [index, address] of turns.entries()) {
    const turnMs = Math.max(1, (until - performance.now()) / (turns.length - index));
    const checked = { ...target, hostname: address, ...(isName && { servername: host }) };
    if (isOver(state)) throw new ConnectError('closed');
    try {
      const socket = await connectTo({ open, target: checked }, turnMs, state);
      const { remoteAddress } = socket;
      if (isAllowed(remoteAddress) && !isOver(state)) return socket;
      socket.destroy();
      failures.push(new ConnectError(remoteAddress === undefined ? 'reset' : 'address-forbidden'));
    } catch (error) {
      failures.push(error);
    }
  }
  // A TLS failure is more informative than a refused connection, so prefer it.
  throw failures.find((one) => errorClassOf(one) === 'tls') ?? failures[0];
}

// The timeout of undici is off, because its timers have a resolution of half a second. `connectTo` limits the
// time. The types of undici do not declare that the connector returns the socket.
type Open = (...args: Parameters<buildConnector.connector>) => net.Socket;
// Offers only HTTP/1.1. A server may choose HTTP/2 if it is offered, and node:http cannot speak it.
const opening = (own: Parameters<typeof buildConnector>[0] = {}) =>
  buildConnector({ allowH2: false, timeout: 0, ...own }) as unknown as Open;
const openPlain = opening();

function connectTo(
  { open, target }: { readonly open: Open; readonly target: buildConnector.Options },
  limitMs: number,
  state: Connecting,
): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = open(target, (...[error, connected]) => {
      clearTimeout(timer);
      delete state.connecting;
      if (error !== null) reject(error);
      else resolve(connected);
    });
    const timer = setTimeout(() => void socket.destroy(new ConnectError('timeout')), limitMs);
    state.connecting = socket;
  });
}
