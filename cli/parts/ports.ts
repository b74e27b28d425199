// Chooses ports for the servers that the commands start on this machine. It must not keep a port open.
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { reasonOf } from '../errors.ts';
import { tail } from './child.ts';
import type { Say } from './progress.ts';

/**
 * Ports below the ephemeral port range (32768 and up on Linux), so that a restarted server finds its port
 * free.
 */
const lowest = 20_000;
const highest = 32_767;

const maxTries = 1_000;

/**
 * Returns a function that chooses free ports. It never returns a port twice, because a server may not have
 * bound its port before the next call.
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

/**
 * Finds a free port of 127.0.0.1 outside the ephemeral range. It returns the preferred port if that is free.
 */
export const freePort = portChooser();

/** Binds and releases the port. Returns undefined if the port is taken or this process may not bind it. */
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

/**
 * Matches error messages of servers about ports, both of ports chosen here and of ports that Temporal chose.
 */
const aboutPorts =
  /address already in use|port \d+ is taken|cannot assign requested address|failed assigning ephemeral port/i;

/**
 * Starts a server. It tries again if another program took a port meanwhile, or the machine had no free port.
 * @param start chooses ports by `freePort` and starts the server; must clean up if it fails
 * @param logFile the log whose end shows why the start failed; default: the error of `start` shows it
 * @throws the error of the last attempt
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
