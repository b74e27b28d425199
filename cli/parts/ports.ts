// Chooses ports for the parts that the cli starts on this machine. It must not hold a port open.
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { reasonOf } from '../errors.ts';
import { tail } from './child.ts';
import type { Say } from './progress.ts';

/** Below the ephemeral port range (32768 and up on Linux), so that a restarted part finds its port free. */
const lowest = 20_000;
const highest = 32_767;

const maxTries = 1_000;

/**
 * Never hands out a port twice, because a part may not have bound its port before the next call.
 * @internal exported for tests
 */
export function portChooser(): (preferred?: number) => Promise<number> {
  const handedOut = new Set<number>();
  const remember = (port: number) => {
    handedOut.add(port);
    return port;
  };
  return async (preferred) => {
    if (preferred !== undefined && !handedOut.has(preferred)) {
      const taken = await bindOnce(preferred);
      if (taken !== undefined) return remember(taken);
    }
    for (let tries = 0; tries < maxTries; tries += 1) {
      const port = lowest + Math.floor(Math.random() * (highest - lowest + 1));
      if (!handedOut.has(port) && (await bindOnce(port)) !== undefined) return remember(port);
    }
    throw new Error(`no free port of 127.0.0.1 between ${lowest} and ${highest}`);
  };
}

/** Finds a free port of 127.0.0.1, outside the ephemeral range; the preferred one, if it is free. */
export const freePort = portChooser();

/** Binds and releases the port; undefined if it is taken or we may not bind it. */
function bindOnce(port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(undefined);
      else reject(error);
    });
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      const bound = address !== null && typeof address === 'object' ? address.port : undefined;
      server.close(() => resolve(bound));
    });
  });
}

const maxStarts = 3;
const pauseMs = 500;

/** Errors of servers about ports, both those that we chose and those that Temporal chose. */
const aboutPorts =
  /address already in use|port \d+ is taken|cannot assign requested address|failed assigning ephemeral port/i;

/**
 * Starts a server. Starts it again if another program took one of its ports meanwhile, or the machine had no free port.
 * @param start chooses ports by `freePort`; leaves nothing behind when it fails
 * @param logFile its end shows why the start failed; absent: the error of `start` shows it
 * @throws the error of the last start
 */
export async function startOnFreePorts<Server>(
  start: () => Promise<Server>,
  { name, logFile, say }: { readonly name: string; readonly logFile?: string; readonly say: Say },
): Promise<Server> {
  for (let starts = 1; ; starts += 1) {
    try {
      return await start();
    } catch (error) {
      const said = logFile === undefined ? reasonOf(error) : tail(logFile);
      if (starts === maxStarts || !aboutPorts.test(said)) throw error;
      say(`  ${name} could not have a port: starting it again`);
      await delay(starts * pauseMs);
    }
  }
}
