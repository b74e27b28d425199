// One connection to Postgres. When it breaks or falls silent, whatever runs on it fails and nobody gets it again; it
// never ends the process. It must not try anything again: what was sent may have been done.
import { Socket } from 'node:net';
import pg from 'pg';
import {
  DatabaseSilent,
  endsConnection,
  isDataKeyGone,
  markDatabaseFailure,
  withoutValues,
} from './failures.ts';
import { nameOfPrepared } from './prepared.ts';

export interface DatabaseClientConfig extends pg.ClientConfig {
  /** Milliseconds until the connection is made and authenticated, else it is given up; absent: without limit. */
  readonly connectMs?: number | undefined;
  /** Milliseconds without the answer to a query after which the connection is destroyed; absent: without limit. */
  readonly answerMs?: number | undefined;
  /** Told when that happened: the server's other connections are suspect too. */
  readonly onSilence?: () => void;
  /** Told when nothing was stored because the key that it is sealed under is gone. */
  readonly onDataKeyGone?: (() => void) | undefined;
  readonly trace?: TraceStatement | undefined;
}

/**
 * Told of a statement when it begins, by its name, and by what that answers, of its end. A declared statement has
 * its own name; another is called by its first words, as in `insert payments`.
 */
export type TraceStatement = (name: string) => ((error?: unknown) => void) | undefined;

const goodbyeMs = 1_000; // for the server to close; a silent one never does

type Query = (this: pg.Client, text: unknown, values?: unknown, callback?: unknown) => unknown;
type Connect = (this: pg.Client, callback?: (error?: Error) => void) => Promise<void> | undefined;
type End = (this: pg.Client, callback?: () => void) => Promise<void> | undefined;
const pgMethod = (name: 'query' | 'connect' | 'end'): unknown => Reflect.get(pg.Client.prototype, name);
const runQuery = pgMethod('query') as Query;
const runConnect = pgMethod('connect') as Connect;
const runEnd = pgMethod('end') as End;

/**
 * A client of `pg` that knows the declared statements by their text, and fails as the head of this file says.
 *
 * It is a subclass because there is no other place for either. A connection that gives no answer in time must be
 * destroyed:
 * `query_timeout` of pg only gives up the query, and the pool hands the connection out again, still waiting. And pg takes the
 * name of a statement in the query's own object, while Kysely's dialect hands over text and values alone. Measured on
 * one connection: reading offers takes 0.34 ms as text and 0.22 ms by name, as with pg.Client itself.
 */
export class DatabaseClient extends pg.Client {
  readonly #socket: Socket;
  #isDropped = false;
  readonly #answerMs: number | undefined;
  readonly #onSilence: (() => void) | undefined;
  readonly #onDataKeyGone: (() => void) | undefined;
  readonly #trace: TraceStatement | undefined;

  constructor(config: DatabaseClientConfig = {}) {
    const socket = new Socket();
    const { connectMs: connectionTimeoutMillis, answerMs, onSilence, onDataKeyGone, trace, ...own } = config;
    super({ ...own, connectionTimeoutMillis, stream: () => socket });
    this.#socket = socket;
    this.#answerMs = answerMs;
    this.#onSilence = onSilence;
    this.#onDataKeyGone = onDataKeyGone;
    this.#trace = trace;
    // A broken connection fails its queries. Without another listener the error would end the process.
    this.on('error', markDatabaseFailure);
  }

  /**
   * Breaks the connection now, even while it is in use: its queries fail with the reason, and a pool never gives it out
   * again.
   */
  drop(reason: Error): void {
    if (this.#isDropped) return; // by each query that waited on it
    this.#isDropped = true;
    this.#socket.destroy(reason);
    void runEnd.call(this)?.catch(() => undefined); // a pool looks at this before it hears of the socket
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
      return Promise.resolve({ command: 'ROLLBACK', rowCount: null, rows: [] }); // the server has done it
    }
    const name = typeof text === 'string' ? nameOfPrepared(text) : undefined;
    const ended =
      this.#trace !== undefined && typeof text === 'string'
        ? this.#trace(name ?? firstWordsOf(text))
        : undefined;
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

  /** The same answer, or the end of the connection where none comes in time. */
  async #answered<Answer>(answer: Promise<Answer>, ended?: (error?: unknown) => void): Promise<Answer> {
    let isOver = false;
    const silent = () => {
      if (isOver) return;
      this.drop(new DatabaseSilent(`no answer from the database within ${this.#answerMs} ms`));
      this.#onSilence?.();
    };
    // First read what came while this process itself stood still.
    const timer = this.#answerMs && setTimeout(() => setImmediate(silent), this.#answerMs);
    try {
      const result = await answer;
      ended?.();
      return result;
    } catch (error) {
      ended?.(error);
      withoutValues(error);
      if (endsConnection(error)) this.drop(error);
      if (isDataKeyGone(error)) this.#onDataKeyGone?.();
      throw error;
    } finally {
      isOver = true;
      clearTimeout(timer);
    }
  }
}

/** `insert payments`, `select`: of the text of a statement that has no name; a table of ours is no secret. */
function firstWordsOf(text: string): string {
  const verb = /^\s*(\w+)/.exec(text)?.[1] ?? 'statement';
  const table = /\b(?:from|into|update)\s+"?(\w+)/i.exec(text)?.[1];
  return table === undefined ? verb.toLowerCase() : `${verb.toLowerCase()} ${table}`;
}
