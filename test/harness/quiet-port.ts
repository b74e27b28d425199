// A port that nobody listens on and that nobody gets by chance: outside of what systems give to connections and to
// servers that ask for any port (32768 and up on Linux), so that it is still free when a test wants it back.
import { createServer } from 'node:net';

const lowest = 20_000;
const highest = 32_767;
const given = new Set<number>();

export async function quietPort(): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest + 1));
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
