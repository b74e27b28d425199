// A receiver that answers at once, reads nothing and keeps the connection: what was to leave must not wait there for ever.
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { createOutbound } from '../../../activities/wire/outbound.ts';
import { entered, headers, listening } from './receivers.ts';

const http = createOutbound({ allowLoopback: true, headersTimeoutMs: 300, totalTimeoutMs: 800 });
afterAll(() => http.close());

// Larger than the buffers of both kernels on loopback; where segments are small and windows narrow, 32 KiB are.
const large = Buffer.alloc(8 * 1024 * 1024, ' ');

test.each(['', 'connection: close\r\n'])(
  'of a request that was answered before it was read nothing leaves after the limit, and its socket is closed (SEC-5) %j',
  async (header) => {
    const sockets: net.Socket[] = [];
    const url = await listening(
      net.createServer({ pauseOnConnect: true }, (socket) => {
        sockets.push(socket);
        socket.on('error', () => undefined).write(`HTTP/1.1 413 No\r\n${header}content-length: 0\r\n\r\n`);
      }),
    );
    const result = await entered(http, url).post(url, large, headers);
    expect(result).toMatchObject({ outcome: 'ANSWERED', status: 413 });
    await sleep(2_500); // three times the limit
    const ourEnds = process
      .getActiveResourcesInfo()
      .filter((it) => it === 'SimpleWriteWrap' || it === 'WriteWrap');
    let bytes = 0;
    sockets[0]?.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume();
    await sleep(1_000);
    sockets[0]?.destroy();
    expect({ writesUnderWay: ourEnds.length, isAllSent: bytes >= large.length }).toEqual({
      writesUnderWay: 0,
      isAllSent: false,
    });
  },
  10_000,
);
