// The only module that sends requests to other parties, for send.ts and probe-endpoints.ts. It posts a
// message to a server or queue and classifies the outcome. Each receiver has a gate and a circuit breaker.
// The module never follows a redirect, and connects only to addresses that it has checked.
import { setMaxListeners } from 'node:events';
import { assert } from '../../core/assert.ts';
import { ownFaults } from '../../core/deliveries/delivery-schedule.ts';
import { parseQueueAddress } from '../../core/deliveries/queue-address.ts';
import type { QueueLogins, ReceiverCertificates } from '../../core/settings/receivers.ts';
import { createConnector } from './connect-checked.ts';
import { exchange, type Exchange, type PostResult } from './exchange.ts';
import { exchangeAmqp } from './exchange-amqp.ts';
import { createOwnLacks } from './own-lacks.ts';
import {
  createReceiverGate,
  type GateOptions,
  type Held,
  type Place,
  type ReceiverState,
  type Sign,
} from './receiver-gate.ts';
import { createNameResolver, type ResolverOptions } from './resolve-name.ts';

export type { PostResult } from './exchange.ts';
export type { Held } from './receiver-gate.ts';

export interface OutboundOptions extends GateOptions, ResolverOptions {
  /** Allows connections to loopback addresses, for demos only. */
  readonly allowLoopback: boolean;
  /** Milliseconds to connect, and again from then to the headers of the answer; default 5 s (SEC-5). */
  readonly headersTimeoutMs?: number;
  /** Milliseconds for the whole exchange; default 10 s. */
  readonly totalTimeoutMs?: number;
  /** Logins at brokers. If absent, this process sends to no queue, so that no broker can harm it. */
  readonly logins?: QueueLogins | undefined;
  readonly certificates?: ReceiverCertificates;
}

export interface PostLimits {
  /** Milliseconds for the whole exchange. Replaces the limits of SEC-5 where another rule sets a limit. */
  readonly timeoutMs?: number;
  /**
   * The value of `performance.now()` after which no byte of the request may leave. Later, the outcome is
   * NOT_SENT `too-late`.
   */
  readonly sendBefore?: number;
}

/**
 * A place at a receiver's gate, taken before an attempt is claimed. `post` or `leave` ends it; only the first
 * call counts.
 */
export interface Admission {
  readonly admitted: true;
  post(
    url: string,
    body: Buffer,
    headers: Readonly<Record<string, string>>,
    limits?: PostLimits,
  ): Promise<PostResult>;
  leave(): void;
}

export interface Outbound {
  /**
   * Takes a place at the receiver's gate.
   * @param receiver the registered origin (scheme, host, port, path prefix), e.g. an operator's endpointUrl
   */
  enter(receiver: string): Admission | Held;
  /** Like `enter`, for a send that must be tried even if the breaker is open. */
  enterAnyway(receiver: string): Admission | Held;
  /** Like `enter`, for one of several parties behind a receiver. Each party has its own breaker. */
  enterFor(receiver: string, party: string): Admission | Held;
  states(): readonly ReceiverState[];
  /** Receivers that this process could not send to for ten minutes because it lacks resources. */
  lastingLacks(): readonly string[];
  close(): Promise<void>;
}

export function createOutbound(options: OutboundOptions): Outbound {
  const { headersTimeoutMs = 5_000, totalTimeoutMs = 10_000, logins, allowLoopback } = options;
  const gate = createReceiverGate(options);
  const lacks = createOwnLacks(options.now ?? (() => performance.now()));
  const connector = createConnector({
    resolver: createNameResolver(options),
    allowLoopback,
    timeoutMs: headersTimeoutMs,
    certificates: options.certificates ?? new Map(),
  });
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // Each running send has one listener.

  function exchanged(url: string, request: Exchange): Promise<PostResult> {
    const queue = parseQueueAddress(url);
    if (queue === undefined) return exchange(connector, request, closing.signal);
    assert(queue.ok, 'the address was judged before'); // Checked in addresses.ts.
    // The worker is chosen in deliver.ts.
    assert(logins !== undefined, 'a worker that reaches no queues was asked to');
    return exchangeAmqp({ connector, logins }, request, queue.value, closing.signal);
  }

  async function postFrom(place: Place, ...[url, body, headers, limits]: Parameters<Admission['post']>) {
    place.begin();
    const { timeoutMs, sendBefore } = limits ?? {};
    try {
      const request = {
        url: new URL(url),
        body,
        headers: { ...headers, 'accept-encoding': 'identity' },
        headersTimeoutMs: timeoutMs ?? headersTimeoutMs,
        totalTimeoutMs: timeoutMs ?? totalTimeoutMs,
        sendBefore,
      };
      const result = await exchanged(url, request);
      lacks.heed(url, result);
      place.end(signOf(result, timeoutMs !== undefined && timeoutMs < headersTimeoutMs));
      return result;
    } finally {
      place.end('nothing'); // Has an effect only after a defect. Otherwise the place has ended already.
    }
  }

  function admit(place: Place | Held): Admission | Held {
    if ('admitted' in place) return place;
    return {
      admitted: true,
      post: (...args) => postFrom(place, ...args),
      leave: () => place.end('nothing'),
    };
  }

  return {
    enter: (receiver) => admit(gate.enter(receiver)),
    enterAnyway: (receiver) => admit(gate.enterAnyway(receiver)),
    enterFor: (receiver, party) => admit(gate.enterFor(receiver, party)),
    states: gate.states,
    lastingLacks: lacks.lasting,
    close: () => {
      closing.abort();
      return Promise.resolve();
    },
  };
}

/**
 * Error classes of sends that Isthmus held back or could not make. They show nothing about the receiver's
 * health.
 */
const heldBack: ReadonlySet<string> = new Set([...ownFaults, 'too-late', 'address-forbidden']);

/**
 * @param isShort whether the receiver had less time than SEC-5 gives; then a timeout does not count against
 * it
 */
function signOf(result: PostResult, isShort: boolean): Sign {
  if (result.outcome === 'ANSWERED') return result.status >= 500 ? 'failed' : 'alive';
  const { errorClass } = result;
  return heldBack.has(errorClass) || (isShort && errorClass === 'timeout') ? 'nothing' : 'failed';
}
