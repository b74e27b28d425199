// A Temporal server of a test file's own, which it may freeze, kill and start again: the one of the run is everybody's.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream';
import { afterAll } from 'vitest';
import { startTemporal, type RunningTemporal } from '../../cli/parts/temporal.ts';
import { searchAttributes } from '../../contract/ids.ts';

export interface OwnTemporal {
  readonly address: string;
  /** SIGSTOP: it keeps its connections and says nothing more. */
  freeze(): void;
  thaw(): void;
  /** SIGKILL; its file stays. */
  kill(): Promise<void>;
  /** On the same file, at the same address. */
  startAgain(): Promise<void>;
}

const isthmus = resolve(import.meta.dirname, '..', '..', '.isthmus');

/** Call it at the top of a test file; it is stopped after the file's tests. */
export async function ownTemporal(
  furtherConfig: Readonly<Record<string, number | boolean>> = {},
): Promise<OwnTemporal> {
  const folder = join(isthmus, `test-temporal-${randomUUID().slice(0, 8)}`);
  mkdirSync(folder, { recursive: true });
  const start = () =>
    startTemporal({
      env: process.env,
      folder,
      binFolder: join(isthmus, 'bin'),
      storage: 'file',
      searchAttributes: Object.values(searchAttributes),
      ui: false,
      furtherConfig,
      say: () => undefined,
    });
  let server: RunningTemporal = await start();
  // its clients keep one address, whatever port it gets when it is started again
  const relay = createServer((near) => {
    const far = connect(Number(server.address.split(':')[1]), '127.0.0.1');
    pipeline(near, far, near, () => undefined);
  }).listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const signal = (name: NodeJS.Signals) => {
    if (server.pid === undefined) throw new Error('TEMPORAL_ADDRESS names a server that is not ours to stop');
    process.kill(server.pid, name);
  };
  afterAll(async () => {
    relay.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    address: `127.0.0.1:${(relay.address() as AddressInfo).port}`,
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    kill: async () => {
      signal('SIGKILL');
      await server.exited;
    },
    startAgain: async () => {
      server = await start();
    },
  };
}
