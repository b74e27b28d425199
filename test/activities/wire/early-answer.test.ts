// A receiver that answers as soon as it has the head, and then reads on: it gets the whole message.
// On loopback that takes 8 MiB; where segments have 1448 bytes and the window is narrow, 256 KiB (143 600 bytes came).
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { createOutbound } from '../../../activities/wire/outbound.ts';
import { entered, headers, listening } from './receivers.ts';

const http = createOutbound({ allowLoopback: true });
afterAll(() => http.close());

test.each([256 * 1024, 8 * 1024 * 1024])(
  'a receiver that accepts early and reads on gets all of what is on record as received (CBK-1, RFC 9110 section 7.5): %i',
  async (length) => {
    let bytes = 0;
    const url = await listening(
      net.createServer((socket) => {
        socket
          .on('error', () => undefined)
          .once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'))
          .on('data', (chunk) => (bytes += chunk.length));
      }),
    );
    const result = await entered(http, url).post(url, Buffer.alloc(length, ' '), headers);
    await sleep(1_000);
    expect({ outcome: result.outcome, isWhole: bytes >= length }).toEqual({
      outcome: 'ANSWERED',
      isWhole: true,
    });
  },
);
