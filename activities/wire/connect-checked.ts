// Opens the connections of outbound.ts: resolves the name, checks every address, connects to one that was checked
// and looks at the peer again (no rebinding). What fails here is NOT_SENT: no byte of a request has left.
import net from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';
import type {
  ReceiverCertificate,
  ReceiverCertificates,
} from '../../core/deliveries/receiver-certificates.ts';
import { errorClassOf } from './error-class.ts';
import { NameError, type NameResolver } from './resolve-name.ts';

/** Raised before a request was written: nothing can have been read. */
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
  /** Milliseconds to a connection, over all addresses, apart from the name. */
  readonly timeoutMs: number;
  /** By `host:port`. */
  readonly certificates: ReceiverCertificates;
}

export interface Connector {
  /** @returns ends it, if it is still connecting: no further address is tried */
  readonly connect: (...args: Parameters<buildConnector.connector>) => () => void;
}

/** How far a connection has come. */
interface Connecting {
  isOver: boolean;
  connecting?: net.Socket;
}

const maxAddresses = 5; // of one name: each has at least 1 s of the 5 s of SEC-5

// Ranges that ipaddr.js calls unicast and that are not the public internet.
const otherForbidden = [ipaddr.parseCIDR('::/96'), ipaddr.parseCIDR('168.63.129.16/32')];

/**
 * Only public unicast addresses; loopback where the demo allows it.
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

/** Asked anew: it may be over since it was last asked. */
const isOver = (state: Connecting): boolean => state.isOver;

/** Each address in its turn, within one limit. */
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
  // one that came as far as TLS says more than an address that nobody listens at
  throw failures.find((one) => errorClassOf(one) === 'tls') ?? failures[0];
}

// The limit is kept here: undici's timers are half a second coarse. That it returns the socket is not declared.
type Open = (...args: Parameters<buildConnector.connector>) => net.Socket;
// HTTP/1.1 alone: whoever is offered HTTP/2 may choose it, and what speaks on this connection is node:http.
const opening = (own: ReceiverCertificate = {}) =>
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
