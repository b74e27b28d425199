// A port that nobody listens on and that nobody gets by chance: outside of what systems give to connections and to
// servers that ask for any port (32768 and up on Linux) and of what the cli chooses (20000 and up), so that it is still
// free when a test wants it back. Each process of the run has a thousand of its own: two that choose at the same time
// never choose the same.
import { createServer } from 'node:net';

const ofEach = 1_000;
const processes = 8; // vitest.config.ts: at most 5 at once
const lowest = 12_000 + (Number(process.env['VITEST_POOL_ID'] ?? 0) % processes) * ofEach;
const given = new Set<number>();

export async function quietPort(): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * ofEach);
    if (!given.has(port) && (await isFree(port))) {
      given.add(port);
      return port;
    }
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
