// A TCP proxy in front of a real server (Postgres, Temporal, a party) that fails as networks and hosts do: it resets
// what is open, falls silent without a word, loses or delays answers, or answers like a broken HTTP server in its
// place. It must not know what it carries, and must never deliver later what it held back.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** What it does with a connection from the moment at which it is told to. */
export type Conduct =
  /** Carries everything. */
  | 'pass'
  /** Nobody listens: connections are refused, and open ones reset. */
  | 'refuse'
  /** Nothing is read, answered or closed, on open connections and on new ones: no FIN, no RST. */
  | 'silent'
  /** RST at the first byte of a request, which reaches nobody. */
  | 'reset'
  /** The request is read and reaches nobody; no answer ever comes. */
  | 'hang'
  /** The request arrives and is done; at the first byte of the answer the connection is reset. */
  | 'lose-answer'
  /** The request arrives and is done; no answer ever comes, and nothing is closed. */
  | 'keep-answer'
  /** Carries everything, each piece of an answer 700 ms late. */
  | 'slow'
  /** Carries everything; a moment after each answer comes an HTTP 200 that nobody asked for. */
  | 'unasked'
  /** Carries everything; each answer comes twice, in one piece. */
  | 'twice'
  /** HTTP 503 at once, in the server's place; with a `Retry-After` of 2 s; after 300 ms. */
  | 'fail'
  | 'fail-for-now'
  | 'fail-late'
  /** HTTP 410: it will not take this, and nothing else that is sent to this address. */
  | 'gone'
  /** HTTP 404: it does not take this now. */
  | 'deny'
  /** HTTP 200 with a body that is no message; with a body that never ends; a redirect to the trap. */
  | 'garbage'
  | 'endless'
  | 'redirect';

export interface FaultProxy {
  /** The given address with the proxy's host and port in it. */
  readonly address: string;
  /** host:port. */
  readonly origin: string;
  /** From now on, for new connections and for the next request on open ones. */
  readonly conduct: (next: Conduct) => Promise<void>;
  /** RST on every open connection, whatever is under way on it. */
  readonly reset: () => void;
  /** What is asked on the connections that are open is done, but never answered; new ones work. */
  readonly keepAnswers: () => void;
  /** The real server has moved. Connections to the old one end. */
  retarget(address: string): void;
  /** Called at each request's first byte, before it is carried; and at each answer's first byte, likewise. */
  onTraffic(listener: (direction: 'request' | 'answer') => void): () => void;
  close(): Promise<void>;
}

export interface FaultProxyOptions {
  /** URL or host:port of the real server. */
  readonly target: string;
  /** Where a redirect leads. */
  readonly trap?: string;
  /** Asked at each request while it is to carry everything: what becomes of this one. */
  readonly mood?: () => Conduct;
}

/** A connection of ours, and the one to the real server. */
interface Pair {
  readonly near: Socket;
  readonly far: Socket | undefined;
  /** What it does now; taken over from the proxy at each request. */
  conduct: Conduct;
  /** Whose turn it is: the answer's first byte ends the request. */
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

/** How long after the server's end of a connection the client's ends. */
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

/** What is answered in the server's place, and how late. */
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
  if (pair.conduct !== 'keep-answer') pair.conduct = conductNow(state); // such a connection is lost for ever
  pair.speaks = 'far';
  state.listeners.forEach((listener) => listener('request'));
  if (pair.conduct === 'reset') near.resetAndDestroy();
  if (pair.conduct === 'endless') {
    near.write(head('200 OK', 'Content-Type: application/xml\r\n\r\n'));
    drip(near);
  }
  // What still comes of the request is read and thrown away, so that the answer is not lost in an RST.
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
    setTimeout(() => near.end(), endsLate[pair.conduct] ?? 0).unref(); // behind what is said late
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

/** Only between two requests: what came behind one would say that it was done. */
function answerUnasked({ near, speaks, conduct }: Pair): void {
  if (conduct === 'unasked' && speaks === 'near' && near.writable)
    near.write(`HTTP/1.1 200 OK\r\n${nothing}`);
}

function pass(chunk: Buffer, from: Socket, to: Socket): void {
  if (to.destroyed || to.write(chunk)) return;
  from.pause();
  to.once('drain', () => from.resume());
}

/** What becomes of the connections that are open when the conduct changes. */
function changeOpen(pairs: ReadonlySet<Pair>, next: Conduct): void {
  for (const pair of pairs) {
    const { near, far } = pair;
    if (next === 'refuse') near.resetAndDestroy();
    else if (next === 'silent') {
      pair.conduct = next;
      near.pause();
      far?.pause();
    } else if (next === 'pass' && pair.conduct !== 'pass') {
      // The host that is back knows nothing of a connection of before, and what was held back must not arrive now.
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
