// One connection to Postgres. When it breaks, whatever is under way on it fails and nobody gets it again; it never ends the
// process. It must not try anything again: what was sent may have been done.
import { Socket } from 'node:net';
import pg from 'pg';
import { markDatabaseFailure } from './failures.ts';
import { nameOfPrepared } from './prepared.ts';

type Query = (this: pg.Client, text: unknown, values?: unknown, callback?: unknown) => unknown;
type Connect = (this: pg.Client, callback?: (error?: Error) => void) => Promise<void> | undefined;
const runQuery = Reflect.get(pg.Client.prototype, 'query') as unknown as Query;
const runConnect = Reflect.get(pg.Client.prototype, 'connect') as unknown as Connect;

/** A client of `pg` that knows the declared statements by their text, and fails as the head of this file says. */
export class DatabaseClient extends pg.Client {
  readonly #socket: Socket;

  constructor(config: pg.ClientConfig = {}) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.#socket = socket;
    // A broken connection is told to its queries. Told to nobody else, it would end the process.
    this.on('error', markDatabaseFailure);
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
    return name === undefined
      ? runQuery.call(this, text, values, callback)
      : runQuery.call(this, { name, text, values }, callback);
  }) as pg.Client['query'];
}
