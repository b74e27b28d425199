// One connection to Postgres. If the connection breaks or the server stops answering, its queries fail, and
// the pool never hands it out again. The process does not crash. The client must not retry a statement,
// because the server may have executed it.
import { Socket } from 'node:net';
import pg from 'pg';
import {
  DatabaseSilent,
  endsConnection,
  isDataKeyGone,
  markDatabaseFailure,
  withoutValues,
} from './failures.ts';
import { nameOfPrepared } from './statements.ts';

export interface DatabaseClientConfig extends pg.ClientConfig {
  /** Milliseconds for connecting and authenticating; absent: no limit. */
  readonly connectMs?: number | undefined;
  /** Milliseconds to wait for the answer to a query before the connection is destroyed; absent: no limit. */
  readonly answerMs?: number | undefined;
  /** Called after such a connection was destroyed. Other connections to the same server are suspect too. */
  readonly onSilence?: () => void;
  /** Called when a statement failed because its data key was deleted. */
  readonly onDataKeyGone?: (() => void) | undefined;
  readonly trace?: TraceStatement | undefined;
}

/**
 * Called with the name of a statement when it begins. The function that it returns is called when the statement ends. A
 * statement without a declared name is named by its first words, as in `insert payments`.
 */
export type TraceStatement = (name: string) => ((error?: unknown) => void) | undefined;

const goodbyeMs = 1_000; // time for the server to close the connection; an unresponsive server never closes it

type Query = (this: pg.Client, text: unknown, values?: unknown, callback?: unknown) => unknown;
type Connect = (this: pg.Client, callback?: (error?: Error) => void) => Promise<void> | undefined;
type End = (this: pg.Client, callback?: () => void) => Promise<void> | undefined;
const pgMethod = (name: 'query' | 'connect' | 'end'): unknown => Reflect.get(pg.Client.prototype, name);
const runQuery = pgMethod('query') as Query;
const runConnect = pgMethod('connect') as Connect;
const runEnd = pgMethod('end') as End;

/**
 * A `pg` client that sends declared statements by name, and handles failures as the top of this file describes.
 *
 * It must be a subclass for two reasons. `query_timeout` of pg only abandons the query: the pool would hand out a
 * connection that still waits for the answer. And pg takes the name of a statement from the query object, but Kysely's
 * dialect passes only text and values. Measured on one connection: reading offers takes 0.34 ms as text and 0.22 ms by
 * name, the same as with pg.Client itself.
 */
export class DatabaseClient extends pg.Client {
  readonly #socket: Socket;
  #isDropped = false;
  readonly #config: DatabaseClientConfig;

  constructor(config: DatabaseClientConfig = {}) {
    const socket = new Socket();
    super({ ...config, connectionTimeoutMillis: config.connectMs, stream: () => socket });
    this.#socket = socket;
    this.#config = config;
    // A broken connection fails its queries. Without this listener the error event would crash the process.
    this.on('error', markDatabaseFailure);
  }

  /** Breaks the connection now. Its queries fail with the reason, and the pool never hands it out again. */
  drop(reason: Error): void {
    if (this.#isDropped) return; // every query that waits on this connection calls drop
    this.#isDropped = true;
    this.#socket.destroy(reason);
    void runEnd.call(this)?.catch(() => undefined); // marks the client as ended; the pool checks this before it learns that the socket closed
  }

  override connect = ((callback?: (error?: Error) => void): Promise<void> | undefined => {
    const told = (error: unknown): void => {
      if (error instanceof Error) markDatabaseFailure(error);
    };
    if (callback === undefined) {
      return runConnect.call(this)?.catch((error: unknown) => {
        told(error);
        throw error;
      });
    }
    return runConnect.call(this, (error) => {
      told(error);
      callback(error);
    });
  }) as pg.Client['connect'];

  override query = ((text: unknown, values?: unknown, callback?: unknown): unknown => {
    if (text === 'rollback' && this.#socket.destroyed) {
      return Promise.resolve({ command: 'ROLLBACK', rowCount: null, rows: [] }); // the server has rolled back
    }
    const name = typeof text === 'string' ? nameOfPrepared(text) : undefined;
    const { trace } = this.#config;
    const ended = trace && typeof text === 'string' ? trace(name ?? firstWordsOf(text)) : undefined;
    const answer =
      name === undefined
        ? runQuery.call(this, text, values, callback)
        : runQuery.call(this, { name, text, values }, callback);
    if (answer instanceof Promise) return this.#answered(answer, ended);
    ended?.();
    return answer;
  }) as pg.Client['query'];

  override end = ((callback?: () => void): Promise<void> | undefined => {
    const timer = setTimeout(() => this.#socket.destroy(), goodbyeMs).unref();
    this.#socket.once('close', () => clearTimeout(timer));
    return runEnd.call(this, callback);
  }) as pg.Client['end'];

  /** Passes the answer on, or drops the connection if no answer comes in time. */
  async #answered<Answer>(answer: Promise<Answer>, ended?: (error?: unknown) => void): Promise<Answer> {
    const { answerMs, onSilence, onDataKeyGone } = this.#config;
    let isOver = false;
    const silent = () => {
      if (isOver) return;
      this.drop(new DatabaseSilent(`no answer from the database within ${answerMs} ms`));
      onSilence?.();
    };
    // setImmediate lets the client first read answers that arrived while this process was blocked
    const timer = answerMs && setTimeout(() => setImmediate(silent), answerMs);
    try {
      const result = await answer;
      ended?.();
      return result;
    } catch (error) {
      ended?.(error);
      withoutValues(error);
      if (endsConnection(error)) this.drop(error);
      if (isDataKeyGone(error)) onDataKeyGone?.();
      throw error;
    } finally {
      isOver = true;
      clearTimeout(timer);
    }
  }
}

/** Names a statement by its verb and table, as in `insert payments`. Table names are not secret. */
function firstWordsOf(text: string): string {
  const verb = /^\s*(\w+)/.exec(text)?.[1] ?? 'statement';
  const table = /\b(?:from|into|update)\s+"?(\w+)/i.exec(text)?.[1];
  return table === undefined ? verb.toLowerCase() : `${verb.toLowerCase()} ${table}`;
}
