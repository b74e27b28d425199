// A receiver whose server sends without end what is no answer: it takes no time from what goes to others.
import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createOutbound } from '../../../activities/wire/outbound.ts';
import { entered, headers, message, post, receiver } from './receivers.ts';

// Another process, so that only what reads it is measured here.
const flooding = `
  const [first, text] = JSON.parse(process.argv[1]);
  const flood = Buffer.from(text.repeat(50_000 / text.length));
  require('node:net').createServer((socket) => {
    const more = () => !socket.destroyed && socket.write(flood) && setImmediate(more);
    socket.on('error', () => undefined).on('drain', more).once('data', () => { socket.write(first); more(); });
  }).listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;
const servers: ChildProcess[] = [];
afterAll(() => {
  for (const server of servers) server.kill();
});

async function flooded(first: string, text: string): Promise<string> {
  const args = ['-e', flooding, JSON.stringify([first, text])];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  servers.push(server);
  return new Promise((resolve) => {
    server.stdout.once('data', (line) => resolve(`http://127.0.0.1:${String(line).trim()}/`));
  });
}

test.each([
  ['interim answers', '', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['empty lines before its answer', '', '\r\n'],
  ['zeros of a chunk size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '00000000'],
])(
  'a receiver that sends %s without end does not slow the sends to another (CBK-3, SEC-5)',
  async (_, first, text) => {
    // of its own: what floods next may have the port of what flooded before, whose breaker is open
    const http = createOutbound({ allowLoopback: true, headersTimeoutMs: 2_000, totalTimeoutMs: 4_000 });
    onTestFinished(() => http.close());
    const url = await flooded(first, text);
    const other = await receiver((_request, response) => response.end());
    await post(http, other);
    const sends = Array.from({ length: 16 }, () => entered(http, url).post(url, message, headers));
    let slowestMs = 0;
    const until = performance.now() + 1_800;
    while (performance.now() < until) {
      await sleep(10);
      const startedAt = performance.now();
      const { outcome } = await post(http, other);
      slowestMs = Math.max(slowestMs, outcome === 'ANSWERED' ? performance.now() - startedAt : Infinity);
    }
    await Promise.all(sends);
    servers.at(-1)?.kill();
    expect(slowestMs).toBeLessThan(3_500); // nearly nothing where nothing else runs; the flood lasts 4 s
  },
  20_000,
);
