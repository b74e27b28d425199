// A TCP proxy in front of a real server (Postgres, Temporal, a party) that fails like networks and hosts. It resets
// connections, falls silent, loses or delays answers, or answers like a broken HTTP server. It must not know what it
// carries. It must never deliver later what it has held back.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** The proxy's behaviour from the moment when it is set. */
export type Conduct =
  /** Carries everything. */
  | 'pass'
  /** Nothing listens: connections are refused, and open ones are reset. */
  | 'refuse'
  /** Nothing is read, answered or closed, on open and new connections: no FIN, no RST. */
  | 'silent'
  /** RST at the first byte of a request, which is not carried. */
  | 'reset'
  /** The request is read but not carried; no answer ever comes. */
  | 'hang'
  /** The request is carried; at the first byte of the answer the connection is reset. */
  | 'lose-answer'
  /** The request is carried; no answer ever comes, and nothing is closed. */
  | 'keep-answer'
  /** Carries everything, each chunk of an answer 700 ms late. */
  | 'slow'
  /** Carries everything; a moment after each answer it sends an unsolicited HTTP 200. */
  | 'unasked'
  /** Carries everything; each answer is sent twice, in one chunk. */
  | 'twice'
  /** The proxy answers HTTP 503: at once; at once with a `Retry-After` of 2 s; after 300 ms. */
  | 'fail'
  | 'fail-for-now'
  | 'fail-late'
  /** HTTP 410: the receiver will take neither this nor any other message at this address. */
  | 'gone'
  /** HTTP 404: the receiver does not take this message now. */
  | 'deny'
  /** HTTP 200 with a body that is not a message; with a body that never ends; a redirect to the trap. */
  | 'garbage'
  | 'endless'
  | 'redirect';

export interface FaultProxy {
  /** The target's address with the proxy's host and port. */
  readonly address: string;
  /** host:port. */
  readonly origin: string;
  /** Sets the behaviour for new connections, and for the next request on open ones. */
  readonly conduct: (next: Conduct) => Promise<void>;
  /** Resets every open connection, whatever is under way on it. */
  readonly reset: () => void;
  /** Requests on open connections are carried but never answered; new connections work. */
  readonly keepAnswers: () => void;
  /** The real server has moved. Open connections are reset. */
  retarget(address: string): void;
  /**
   * Adds a listener, called before the first byte of each request and of each answer is carried. @returns a function
   * that removes it
   */
  onTraffic(listener: (direction: 'request' | 'answer') => void): () => void;
  close(): Promise<void>;
}

export interface FaultProxyOptions {
  /** URL or host:port of the real server. */
  readonly target: string;
  /** Target of a redirect. */
  readonly trap?: string;
  /** Chooses the behaviour for each request while the conduct is `pass`. */
  readonly mood?: () => Conduct;
}

/** A client connection, and the one to the real server. */
interface Pair {
  readonly near: Socket;
  readonly far: Socket | undefined;
  /** Current behaviour; set from the proxy at each request. */
  conduct: Conduct;
  /** The side that speaks next. The first byte of an answer ends the request. */
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

/** Milliseconds from the server's end of a connection to the client's. */
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

/** The proxy's own answer in the server's place, and its delay. */
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
  if (pair.conduct !== 'keep-answer') pair.conduct = conductNow(state); // such a connection never recovers
  pair.speaks = 'far';
  state.listeners.forEach((listener) => listener('request'));
  if (pair.conduct === 'reset') near.resetAndDestroy();
  if (pair.conduct === 'endless') {
    near.write(head('200 OK', 'Content-Type: application/xml\r\n\r\n'));
    drip(near);
  }
  // The rest of the request is read and discarded, because an RST would lose the answer.
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
    setTimeout(() => near.end(), endsLate[pair.conduct] ?? 0).unref(); // after the delayed data
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

/** Only between two requests, because the client would take a 200 after a request for its answer. */
function answerUnasked({ near, speaks, conduct }: Pair): void {
  if (conduct === 'unasked' && speaks === 'near' && near.writable)
    near.write(`HTTP/1.1 200 OK\r\n${nothing}`);
}

function pass(chunk: Buffer, from: Socket, to: Socket): void {
  if (to.destroyed || to.write(chunk)) return;
  from.pause();
  to.once('drain', () => from.resume());
}

/** Applies a change of behaviour to the open connections. */
function changeOpen(pairs: ReadonlySet<Pair>, next: Conduct): void {
  for (const pair of pairs) {
    const { near, far } = pair;
    if (next === 'refuse') near.resetAndDestroy();
    else if (next === 'silent') {
      pair.conduct = next;
      near.pause();
      far?.pause();
    } else if (next === 'pass' && pair.conduct !== 'pass') {
      // A host that is back does not know its old connections, and held-back data must not arrive now.
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
