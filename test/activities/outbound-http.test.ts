// The one way out: what it says of each way in which a receiver can behave, and the addresses it never connects to.
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { createOutboundHttp, isAllowedAddress } from '../../activities/outbound-http.ts';
import { freePort } from '../../cli/parts/ports.ts';

const servers: (Server | net.Server)[] = [];
const http = createOutboundHttp({ allowLoopback: true, headersTimeoutMs: 300, totalTimeoutMs: 800 });
afterAll(async () => {
  await http.close();
  for (const server of servers) server.close();
});

async function listening(server: Server | net.Server): Promise<string> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/iso20022/pacs008`;
}

async function receiver(listener: RequestListener): Promise<string> {
  return listening(createServer(listener));
}

const post = (url: string) =>
  http.post(url, Buffer.from('<Document/>'), { 'content-type': 'application/xml' });

describe('what a post comes to', () => {
  test('an answer is ANSWERED, with its status and body, whatever the status', async () => {
    const url = await receiver((_, response) => response.writeHead(409).end('no'));
    expect(await post(url)).toEqual({
      outcome: 'ANSWERED',
      status: 409,
      body: Buffer.from('no'),
      retryAfterMs: null,
    });
  });

  test('Retry-After is told in milliseconds', async () => {
    const url = await receiver((_, response) => response.writeHead(503, { 'retry-after': '7' }).end());
    expect(await post(url)).toMatchObject({ status: 503, retryAfterMs: 7_000 });
  });

  test('a redirect is an answer like any other: nobody goes there (SEC-5)', async () => {
    let visits = 0;
    const elsewhere = await receiver((_, response) => {
      visits += 1;
      response.end();
    });
    const url = await receiver((_, response) => response.writeHead(307, { location: elsewhere }).end());
    expect(await post(url)).toMatchObject({ outcome: 'ANSWERED', status: 307 });
    expect(visits).toBe(0);
  });

  test('a refused connection is NOT_SENT: no byte can have been read (TIM-3)', async () => {
    expect(await post(`http://127.0.0.1:${await freePort()}/`)).toEqual({
      outcome: 'NOT_SENT',
      errorClass: 'refused',
    });
  });

  test('a reset after the request was read is MAYBE_SENT', async () => {
    const url = await receiver((request) => {
      request.resume().on('end', () => request.socket.destroy());
    });
    expect(await post(url)).toEqual({ outcome: 'MAYBE_SENT', errorClass: 'reset' });
  });

  test('silence after the request is MAYBE_SENT, after the time that SEC-5 allows', async () => {
    const url = await receiver(() => undefined);
    expect(await post(url)).toEqual({ outcome: 'MAYBE_SENT', errorClass: 'timeout' });
  });

  test('an answer that drips without end is cut off in time', async () => {
    const url = await receiver((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('.'), 50);
      response.on('close', () => clearInterval(timer));
    });
    expect(await post(url)).toEqual({ outcome: 'MAYBE_SENT', errorClass: 'timeout' });
  });

  test('an answer of more than 64 KiB is not read to its end', async () => {
    const url = await receiver((_, response) => response.end(Buffer.alloc(65 * 1024)));
    expect(await post(url)).toEqual({ outcome: 'MAYBE_SENT', errorClass: 'answer-too-large' });
  });

  test('something that is not HTTP is MAYBE_SENT', async () => {
    const url = await listening(net.createServer((socket) => socket.end('hello\r\n\r\n')));
    expect(await post(url)).toMatchObject({ outcome: 'MAYBE_SENT' });
  });
});

describe('where it connects (SEC-2)', () => {
  test('to loopback only where the demo allows it, by number or by name', async () => {
    let visits = 0;
    const url = await receiver((_, response) => {
      visits += 1;
      response.end();
    });
    const strict = createOutboundHttp({ allowLoopback: false });
    for (const address of [url, url.replace('127.0.0.1', 'localhost')]) {
      expect(await strict.post(address, Buffer.alloc(0), {})).toEqual({
        outcome: 'NOT_SENT',
        errorClass: 'address-forbidden',
      });
    }
    await strict.close();
    expect(visits).toBe(0);
  });

  test.each([
    ['8.8.8.8', true],
    ['2001:4860:4860::8888', true],
    ['10.0.0.1', false],
    ['172.16.0.1', false],
    ['192.168.1.1', false],
    ['127.0.0.1', false],
    ['169.254.169.254', false],
    ['168.63.129.16', false],
    ['100.64.0.1', false],
    ['0.0.0.0', false],
    ['255.255.255.255', false],
    ['224.0.0.1', false],
    ['::1', false],
    ['::', false],
    ['::7f00:1', false],
    ['::ffff:10.0.0.1', false],
    ['fe80::1', false],
    ['fc00::1', false],
    ['64:ff9b::a00:1', false],
    ['2002:a00:1::', false],
  ])('%s is allowed: %s', (address, allowed) => {
    expect(isAllowedAddress(address, false)).toBe(allowed);
  });
});
