// A TCP proxy in front of a real server (Postgres, Temporal, a party). It fails like networks and hosts: it
// resets connections, falls silent, loses or delays answers, or answers like a broken HTTP server. It must
// not depend on the protocol that it carries. It must never deliver data later that it has held back.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** How the proxy treats connections and requests, from the moment at which a conduct is set. */
export type Conduct =
  /** The proxy carries everything. */
  | 'pass'
  /** Nothing listens on the port: new connections are refused, and open ones are reset. */
  | 'refuse'
  /** The proxy reads, answers and closes nothing, on open and new connections. It sends no FIN and no RST. */
  | 'silent'
  /** The proxy resets the connection at the first byte of a request and does not carry the request. */
  | 'reset'
  /** The proxy reads the request but does not carry it. No answer ever comes. */
  | 'hang'
  /** The proxy carries the request, and resets the connection at the first byte of the answer. */
  | 'lose-answer'
  /** The proxy carries the request, but never carries an answer and closes nothing. */
  | 'keep-answer'
  /** The proxy carries everything, but delays each chunk of an answer by 700 ms. */
  | 'slow'
  /** The proxy carries everything. After each answer it sends an unsolicited HTTP 200. */
  | 'unasked'
  /** The proxy carries everything, but sends the first chunk of each answer twice in one write. */
  | 'twice'
  /**
   * The proxy answers HTTP 503. `fail-for-now` adds a `Retry-After` of 2 s. `fail-late` answers after 300 ms.
   */
  | 'fail'
  | 'fail-for-now'
  | 'fail-late'
  /** The proxy answers HTTP 410: the receiver will never accept a message at this address again. */
  | 'gone'
  /** The proxy answers HTTP 404: the receiver does not accept this message now. */
  | 'deny'
  /**
   * `garbage` is HTTP 200 with a body that is not a message. `endless` is HTTP 200 with a body that never
   * ends. `redirect` is HTTP 307 to the trap.
   */
  | 'garbage'
  | 'endless'
  | 'redirect';

export interface FaultProxy {
  /** The target's address, with host and port replaced by those of the proxy. */
  readonly address: string;
  /** The proxy's host:port. */
  readonly origin: string;
  /** Sets the conduct for new connections, and for the next request on open connections. */
  readonly conduct: (next: Conduct) => Promise<void>;
  /** Resets every open connection except silent ones, even during a request. */
  readonly reset: () => void;
  /** Carries requests on the open connections but never their answers. New connections work normally. */
  readonly keepAnswers: () => void;
  /** Sets the new address of the real server, and resets the open connections. */
  retarget(address: string): void;
  /**
   * Adds a listener. The proxy calls it before it carries the first byte of each request and of each answer.
   * @returns a function that removes the listener
   */
  onTraffic(listener: (direction: 'request' | 'answer') => void): () => void;
  close(): Promise<void>;
}

export interface FaultProxyOptions {
  /** URL or host:port of the real server. */
  readonly target: string;
  /** URL of the trap, the target of the conduct `redirect`. */
  readonly trap?: string;
  /** Chooses the conduct of each request while the proxy's conduct is `pass`. */
  readonly mood?: () => Conduct;
}

/** A client's connection (`near`) and the proxy's connection to the real server (`far`). */
interface Pair {
  readonly near: Socket;
  readonly far: Socket | undefined;
  /** The conduct of this connection. The proxy updates it at each request. */
  conduct: Conduct;
  /** The side that sends next. The first byte of an answer ends the request. */
  speaks: 'near' | 'far';
}

interface State {
  goal: URL;
  readonly trap: string;
  readonly mood: () => Conduct;
  conduct: Conduct;
  readonly pairs: Set<Pair>;
  readonly listeners: Set<(direction: 'request' | 'answer') => void>;
}

const slowMs = 700;
const dripMs = 100;
const unaskedAfterMs = 500;

/** Delay in milliseconds between the server's end of a connection and the client's. */
const endsLate: Readonly<Partial<Record<Conduct, number>>> = {
  slow: slowMs + 100,
  unasked: unaskedAfterMs + 100,
};

const carrying: ReadonlySet<Conduct> = new Set([
  'pass',
  'refuse',
  'lose-answer',
  'keep-answer',
  'slow',
  'unasked',
  'twice',
]);

const head = (status: string, rest: string) => `HTTP/1.1 ${status}\r\nConnection: close\r\n${rest}`;
const nothing = 'Content-Length: 0\r\n\r\n';
const failure = (rest: string) => head('503 Service Unavailable', rest);

interface OwnAnswer {
  readonly text: (trap: string) => string;
  readonly afterMs: number;
}

/** The answers that the proxy itself sends in place of the server, with their delays. */
const ownAnswers: Readonly<Partial<Record<Conduct, OwnAnswer>>> = {
  fail: { text: () => failure(nothing), afterMs: 0 },
  'fail-for-now': { text: () => failure(`Retry-After: 2\r\n${nothing}`), afterMs: 0 },
  'fail-late': { text: () => failure(nothing), afterMs: 300 },
  deny: { text: () => head('404 Not Found', nothing), afterMs: 0 },
  gone: { text: () => head('410 Gone', nothing), afterMs: 0 },
  redirect: {
    text: (trap) => head('307 Temporary Redirect', `Location: ${trap}\r\n${nothing}`),
    afterMs: 0,
  },
  garbage: {
    text: () => head('200 OK', 'Content-Type: application/xml\r\nContent-Length: 9\r\n\r\n<nothing>'),
    afterMs: 0,
  },
};

const conductNow = ({ conduct, mood }: State): Conduct => (conduct === 'pass' ? mood() : conduct);

function begin(state: State, pair: Pair): void {
  const { near } = pair;
  if (pair.conduct !== 'keep-answer') pair.conduct = conductNow(state); // a connection in `keep-answer` never recovers
  pair.speaks = 'far';
  state.listeners.forEach((listener) => listener('request'));
  if (pair.conduct === 'reset') near.resetAndDestroy();
  if (pair.conduct === 'endless') {
    near.write(head('200 OK', 'Content-Type: application/xml\r\n\r\n'));
    drip(near);
  }
  // The proxy reads and discards the rest of the request, because an RST would destroy the answer.
  const answer = ownAnswers[pair.conduct];
  if (answer !== undefined) setTimeout(() => near.end(answer.text(state.trap)), answer.afterMs).unref();
}

function drip(near: Socket): void {
  if (near.destroyed) return;
  near.write(' '.repeat(2_000));
  setTimeout(() => drip(near), dripMs).unref();
}

function open(state: State, near: Socket): void {
  const { goal, conduct } = state;
  near.on('error', () => undefined);
  const isSilent = conduct === 'silent';
  const far = isSilent ? undefined : connect({ host: goal.hostname, port: Number(goal.port), noDelay: true });
  const pair: Pair = { near, far, conduct, speaks: 'near' };
  state.pairs.add(pair);
  near.once('close', () => {
    state.pairs.delete(pair);
    far?.destroy();
  });
  if (far === undefined) near.pause();
  else carry(state, pair, far);
}

function carry(state: State, pair: Pair, far: Socket): void {
  const { near } = pair;
  const isSilent = () => pair.conduct === 'silent';
  near.once('end', () => far.end());
  near.on('data', (chunk: Buffer) => {
    if (pair.speaks === 'near') begin(state, pair);
    if (carrying.has(pair.conduct) && !near.destroyed) pass(chunk, near, far);
  });
  far.on('error', () => {
    if (!isSilent()) near.resetAndDestroy();
  });
  far.once('end', () => {
    if (!carrying.has(pair.conduct) || pair.conduct === 'keep-answer') return;
    setTimeout(() => near.end(), endsLate[pair.conduct] ?? 0).unref(); // after the delayed chunks
  });
  far.on('data', (chunk: Buffer) => {
    const isFirst = pair.speaks === 'far';
    if (isFirst) {
      pair.speaks = 'near';
      if (pair.conduct === 'unasked') setTimeout(() => answerUnasked(pair), unaskedAfterMs).unref();
      state.listeners.forEach((listener) => listener('answer'));
    }
    if (pair.conduct === 'lose-answer') near.resetAndDestroy();
    else if (pair.conduct === 'slow') setTimeout(() => near.write(chunk), slowMs).unref();
    else if (isFirst && pair.conduct === 'twice') pass(Buffer.concat([chunk, chunk]), far, near);
    else if (pair.conduct !== 'keep-answer') pass(chunk, far, near);
  });
}

/**
 * Sends the unsolicited answer only between two requests. After a request, the client would take the 200 as
 * its answer.
 */
function answerUnasked({ near, speaks, conduct }: Pair): void {
  if (conduct === 'unasked' && speaks === 'near' && near.writable)
    near.write(`HTTP/1.1 200 OK\r\n${nothing}`);
}

function pass(chunk: Buffer, from: Socket, to: Socket): void {
  if (to.destroyed || to.write(chunk)) return;
  from.pause();
  to.once('drain', () => from.resume());
}

/** Applies a new conduct to the open connections. */
function changeOpen(pairs: ReadonlySet<Pair>, next: Conduct): void {
  for (const pair of pairs) {
    const { near, far } = pair;
    if (next === 'refuse') near.resetAndDestroy();
    else if (next === 'silent') {
      pair.conduct = next;
      near.pause();
      far?.pause();
    } else if (next === 'pass' && pair.conduct !== 'pass') {
      // A restarted host does not know its old connections, and data that the proxy held back must never
      // arrive.
      far?.destroy();
      if (pair.conduct !== 'silent' && pair.conduct !== 'keep-answer') near.resetAndDestroy();
    } else if ((next === 'lose-answer' || next === 'keep-answer') && carrying.has(pair.conduct)) {
      pair.conduct = next;
    }
  }
}

export async function openFaultProxy({
  target,
  trap = '',
  mood = () => 'pass',
}: FaultProxyOptions): Promise<FaultProxy> {
  const isUrl = target.includes('://');
  const urlOf = (address: string) => new URL(address.includes('://') ? address : `tcp://${address}`);
  const state: State = {
    goal: urlOf(target),
    trap,
    mood,
    conduct: 'pass',
    pairs: new Set(),
    listeners: new Set(),
  };
  const take = (near: Socket) => open(state, near);
  let server = await listen(0, take);
  const { port } = server.address() as AddressInfo;
  const own = urlOf(target);
  own.host = `127.0.0.1:${port}`;
  const reset = () => {
    for (const { near, conduct } of state.pairs) if (conduct !== 'silent') near.resetAndDestroy();
  };
  return {
    address: isUrl ? own.href : own.host,
    origin: `127.0.0.1:${port}`,
    conduct: async (next) => {
      const before = state.conduct;
      state.conduct = next;
      if (before === 'refuse' && next !== 'refuse') server = await listen(port, take);
      if (before !== 'refuse' && next === 'refuse') server.close();
      changeOpen(state.pairs, next);
    },
    reset,
    keepAnswers: () => changeOpen(state.pairs, 'keep-answer'),
    retarget: (address) => {
      state.goal = urlOf(address);
      reset();
    },
    onTraffic: (listener) => {
      state.listeners.add(listener);
      return () => void state.listeners.delete(listener);
    },
    close: async () => {
      for (const { near } of state.pairs) near.destroy();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
}

async function listen(port: number, take: (near: Socket) => void): Promise<Server> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, take);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
