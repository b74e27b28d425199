// The connections of the server: how many each client has, what each is doing, and which are closed under load (SEC-7).
// When there are as many as may be, the client with the most loses one, or the next that can, but never one that is waiting
// for our work.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { socketAddress } from './client.ts';
import { createConnectionBook, type ConnectionBook, type Held } from './connection-book.ts';
import type { Way } from './crowds.ts';
import { problem, type Problem } from './problem.ts';
import { isPlainHttp, rawRefusal, refusalOf, refuse, type ParserError } from './unreadable.ts';

export interface ConnectionLimits {
  readonly maxConnections: number;
  /** Of one address, or of one IPv6 network of 64 bits. */
  readonly maxConnectionsPerAddress: number;
  /** Milliseconds that a client may take to read an answer. */
  readonly answerMs: number;
  /** Milliseconds between two checks of the connections: the possible delay of closing one. */
  readonly checkMs: number;
  /** By TLS: what is not agreed yet counts as a connection, and nothing can be told to it. */
  readonly areSecured?: boolean;
}

export interface Connections {
  /** Accepts a new connection, or refuses it. */
  admit(socket: Socket): void;
  /** TLS is agreed on a connection that was accepted: from now on this is its socket. */
  secure(socket: Socket): void;
  /**
   * A request has begun on an accepted connection.
   * @returns false if an earlier answer ends the connection: then the request must not be handled, because its answer
   * would be lost
   */
  begin(request: IncomingMessage, response: ServerResponse): boolean;
  /** Refuses a request for a tunnel, after the answers before it; Node has let go of its connection. */
  refuseTunnel(refusal: Problem, request: IncomingMessage): void;
  /**
   * Answers a parser error of Node, or closes the connection; after the answers that the client is waiting for, and
   * never instead of one.
   */
  refuseUnreadable(error: ParserError, socket: Socket): void;
  /** From now on each answer is the last of its connection, and a connection on which nothing was asked ends. */
  drain(): void;
  close(): void;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Connection extends Held {
  latest?: Exchange;
  /** The one before the latest: answers are written in order, so it is the last of the earlier ones to end. */
  before?: Exchange;
  /** Answers that have not been closed yet: the whole is sent, or the connection gone. */
  readonly unfinished: Set<ServerResponse>;
  /** When unread data was first seen. */
  unreadSinceMs?: number;
  /** What came last is no request, or belongs to one that was refused: nothing more is read from the connection. */
  isEnding?: true;
  /** When the last was written to it. */
  refusedAtMs?: number;
}

/**
 * Requests of one connection that are not answered yet. A client that went on sending without reading its answers would
 * be parsed for ever, ahead of everybody's messages, and fill the memory. Those that send requests one behind the other
 * keep to ten or so.
 */
const maxUnfinished = 32;
const unreadGivesMs = 1_000; // whoever reads at all has read something by then; only where others need its place
const lingerMs = 500; // for the client to read the refusal: closing a connection with unread bytes discards what was sent

export interface ConnectionListeners {
  /** There are as many connections as are allowed. */
  readonly onFull: () => void;
  /**
   * A request is answered that never becomes one of the server's (OBS-1).
   * @param request what was read of it, if anything
   * @returns its id
   */
  readonly onUnread: (refusal: Problem, request?: IncomingMessage) => string;
}

export function createConnections(limits: ConnectionLimits, listeners: ConnectionListeners): Connections {
  const book = createConnectionBook<Connection>({ gives, onGone: closeUnwritten });
  let isDraining = false;
  const timer = setInterval(() => cutUnread(book, limits), limits.checkMs);
  timer.unref();

  function admit(socket: Socket): void {
    const address = socketAddress(socket);
    const hasAll = book.sizeOf(address) >= limits.maxConnectionsPerAddress;
    if (hasAll || book.size >= limits.maxConnections) {
      listeners.onFull();
      const given = book.toGive(hasAll ? address : undefined);
      if (given === undefined) {
        if (!limits.areSecured) socket.end(rawRefusal(problem('too-many-connections')));
        socket.destroySoon();
        return;
      }
      book.forget(given);
      given.socket.destroy();
    }
    book.enter({ socket, address, unfinished: new Set() });
  }

  return {
    admit,
    secure: (socket) => book.secure(socket),
    begin(request, response) {
      const connection = book.of(request.socket);
      const isTaken = connection !== undefined && take(book, connection, { request, response });
      if (isTaken && isDraining) endAfter(connection);
      return isTaken;
    },
    refuseTunnel(refusal, request) {
      const connection = book.of(request.socket);
      if (connection === undefined) request.socket.destroy();
      else endWithTunnel(connection, () => rawRefusal(refusal, listeners.onUnread(refusal, request)));
    },
    refuseUnreadable(error, socket) {
      const connection = isPlainHttp(error) ? book.beneath(socket) : book.of(socket);
      const isHeard = connection?.socket.writable === true && error.code !== 'ECONNRESET';
      if (!isHeard) socket.destroy();
      else if (connection.isEnding !== true) endWith(error, connection, listeners);
    },
    drain() {
      isDraining = true;
      for (const connection of book.all()) endAfter(connection);
    },
    close: () => clearInterval(timer),
  };
}

function cutUnread(book: ConnectionBook<Connection>, { answerMs }: ConnectionLimits): void {
  const now = performance.now();
  for (const connection of book.all()) {
    const { refusedAtMs = now } = connection;
    const unread = unreadMs(connection, now);
    if (unread > answerMs || now - refusedAtMs > lingerMs) connection.socket.destroy();
    else if (unread > unreadGivesMs) book.mayGive(connection, 'unread');
  }
}

/** For how long its client has left unread what was sent. */
function unreadMs(connection: Connection, now: number): number {
  if (connection.socket.writableLength === 0) delete connection.unreadSinceMs;
  else connection.unreadSinceMs ??= now;
  return now - (connection.unreadSinceMs ?? now);
}

function take(book: ConnectionBook<Connection>, connection: Connection, exchange: Exchange): boolean {
  const { latest, socket, unfinished } = connection;
  if (latest?.response.shouldKeepAlive === false || socket.destroyed) return false;
  if (unfinished.size >= maxUnfinished) {
    socket.destroy();
    return false;
  }
  if (latest !== undefined) connection.before = latest;
  connection.latest = exchange;
  const { response } = exchange;
  connection.unfinished.add(response);
  // not once: it comes once, and the wrapping costs
  response.on('close', () => {
    connection.unfinished.delete(response);
    book.mayGive(connection, 'idle');
  });
  return true;
}

/** Ends the connection with its latest answer, which says so where its head is not sent yet. */
function endAfter(connection: Connection): void {
  const { socket, latest } = connection;
  if (latest === undefined && socket.bytesRead === 0) socket.end();
  if (latest === undefined || !isOpen(latest)) return;
  if (!latest.response.headersSent) latest.response.shouldKeepAlive = false;
  latest.response.once('close', () => {
    if (connection.latest === latest) socket.destroySoon();
  });
}

/** One answer for each request, and none after the one that ends the connection. */
function endWith(error: ParserError, connection: Connection, { onUnread }: ConnectionListeners): void {
  const { socket, latest } = connection;
  connection.isEnding = true;
  const isOwn = latest?.request.complete === false; // the unreadable bytes belong to the latest request
  if (latest !== undefined && isOpen(latest) && isOwn && !latest.response.headersSent) {
    const { request, response } = latest;
    refuse(response, refusalOf(error)); // after the answers to earlier requests
    silence(response);
    response.once('close', () => request.destroy(error)); // notifies readers of the request body
    return;
  }
  const isAnswered = isOwn || latest?.response.shouldKeepAlive === false;
  endInTurn(connection, () => {
    if (isAnswered) return undefined;
    const refusal = refusalOf(error);
    // a client that connected and sent nothing is told so, but it has asked nothing
    return rawRefusal(refusal, socket.bytesRead === 0 ? undefined : onUnread(refusal));
  });
}

function endWithTunnel(connection: Connection, refusal: () => string): void {
  const { socket, latest } = connection;
  socket.on('error', () => undefined);
  socket.once('end', () => socket.end()).resume(); // nobody else would see that its client leaves
  const isOver = latest?.response.shouldKeepAlive === false;
  endInTurn(connection, isOver ? () => undefined : refusal);
}

/**
 * Ends the connection after the answers to its requests, so that none of them is lost.
 * @param refusal makes the last that is written, of what followed them; it is asked also where nobody is left to read
 * it
 */
function endInTurn(connection: Connection, refusal: () => string | undefined): void {
  const { socket, latest } = connection;
  const end = () => {
    connection.refusedAtMs = performance.now();
    const text = refusal();
    if (!socket.writable) socket.destroy();
    else if (text === undefined) socket.end();
    else socket.end(text);
  };
  if (latest !== undefined && isOpen(latest)) latest.response.once('close', end);
  else end();
}

/**
 * When a connection is gone, Node tells only the answer that it is writing, and forgets those behind it, although their
 * requests have been processed.
 */
function closeUnwritten({ unfinished }: Connection): void {
  // not before Node has told the one that it was writing
  queueMicrotask(() => {
    for (const response of unfinished) {
      response.destroy(); // whatever the app writes from here on is dropped
      response.emit('close');
    }
  });
}

/** Discards the app's answer to a request that was refused meanwhile. */
function silence(response: ServerResponse): void {
  const ignored = () => response;
  Object.assign(response, { writeHead: ignored, end: ignored, write: () => true, flushHeaders: ignored });
}

/** Whether a connection gives way so to a new one. */
function gives(connection: Connection, way: Way): boolean {
  const doing = stateOf(connection);
  if (way !== 'unread') return doing === way;
  return (
    doing === 'answering' &&
    unreadMs(connection, performance.now()) > unreadGivesMs &&
    !isAwaited(connection.unfinished)
  );
}

/** Whether a client waits for our work: an answer that has begun waits for the client. */
function isAwaited(unfinished: Iterable<ServerResponse>): boolean {
  for (const { headersSent, req } of unfinished) if (!headersSent && req.complete) return true;
  return false;
}

/** answering: a complete request is waiting for its answer. arriving: a request is being sent. */
function stateOf({ latest, before }: Connection): 'idle' | 'arriving' | 'answering' {
  if (before !== undefined && isOpen(before)) return 'answering';
  if (latest === undefined || !isOpen(latest)) return 'idle';
  return latest.request.complete ? 'answering' : 'arriving';
}

function isOpen({ response }: Exchange): boolean {
  return !response.writableFinished && !response.destroyed;
}
