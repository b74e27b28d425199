// The HTTP client for outgoing messages: what it reports for each behaviour of a receiver, and when it sends nothing
// more.
import { createServer, type RequestListener } from 'node:http';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { createOutbound } from '../../../activities/wire/outbound.ts';
import { freePort } from '../../../cli/parts/ports.ts';
import { nameServer } from './name-server.ts';
import { entered, headers, listening, message, post, receiver } from './receivers.ts';

const http = createOutbound({ allowLoopback: true, headersTimeoutMs: 300, totalTimeoutMs: 800 });
afterAll(() => http.close());

describe('what a post comes to', () => {
  test('an answer is ANSWERED, with its status and body, whatever the status', async () => {
    const url = await receiver((_, response) => response.writeHead(409).end('no'));
    expect(await post(http, url)).toEqual({
      outcome: 'ANSWERED',
      status: 409,
      body: Buffer.from('no'),
      truncated: false,
      retryAfterMs: null,
    });
  });

  test('Retry-After is told in milliseconds', async () => {
    const url = await receiver((_, response) => response.writeHead(503, { 'retry-after': '7' }).end());
    expect(await post(http, url)).toMatchObject({ status: 503, retryAfterMs: 7_000 });
  });

  test('a redirect is an answer like any other: nobody goes there (SEC-5)', async () => {
    let visits = 0;
    const elsewhere = await receiver((_, response) => {
      visits += 1;
      response.end();
    });
    const url = await receiver((_, response) => response.writeHead(307, { location: elsewhere }).end());
    expect(await post(http, url)).toMatchObject({ outcome: 'ANSWERED', status: 307 });
    expect(visits).toBe(0);
  });

  test('a refused connection is NOT_SENT: no byte can have been read (TIM-3)', async () => {
    expect(await post(http, `http://127.0.0.1:${await freePort()}/`)).toEqual({
      outcome: 'NOT_SENT',
      errorClass: 'refused',
    });
  });

  test('a reset after the request was read is MAYBE_SENT', async () => {
    const url = await receiver((request) => {
      request.resume().on('end', () => request.socket.destroy());
    });
    expect(await post(http, url)).toEqual({ outcome: 'MAYBE_SENT', errorClass: 'reset' });
  });

  test('silence after the request is MAYBE_SENT, after the time that SEC-5 allows', async () => {
    const url = await receiver(() => undefined);
    expect(await post(http, url)).toEqual({ outcome: 'MAYBE_SENT', errorClass: 'timeout' });
  });

  test('something that is not HTTP is MAYBE_SENT', async () => {
    const url = await listening(net.createServer((socket) => socket.end('hello\r\n\r\n')));
    expect(await post(http, url)).toMatchObject({ outcome: 'MAYBE_SENT' });
  });
});

describe('once the head of an answer is there, its status decides (CBK-4)', () => {
  /** Resolves when the receiver sees its connection closed. */
  const closing = async (listener: RequestListener) => {
    const closed = new Promise<void>((resolve) => {
      void receiver((request, response) => {
        request.socket.once('close', () => resolve());
        listener(request, response);
      }).then((it) => (url = it));
    });
    let url = '';
    await expect.poll(() => url).not.toBe('');
    return { url, closed };
  };

  test('a body that drips without end is cut off in time', async () => {
    const { url, closed } = await closing((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('.'), 50);
      response.on('close', () => clearInterval(timer));
    });
    const startedAt = performance.now();
    const result = await post(http, url);
    expect(performance.now() - startedAt).toBeLessThan(8_000);
    expect(result).toMatchObject({ outcome: 'ANSWERED', status: 200, truncated: true });
    await closed;
  });

  test('of a body without end 64 KiB are read, at once, and the connection is closed', async () => {
    const { url, closed } = await closing((_, response) => {
      response.writeHead(202);
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16 * 1024)));
      };
      response.on('drain', more);
      more();
    });
    const result = await post(http, url);
    expect(result).toMatchObject({ outcome: 'ANSWERED', status: 202, truncated: true });
    expect(result.outcome === 'ANSWERED' && result.body.length).toBe(64 * 1024);
    await closed;
  });

  test.each([200, 500])('a body that breaks off after %d is an answer', async (status) => {
    const url = await receiver((_, response) => {
      response.writeHead(status, { 'content-length': '100' }).write('begun');
      setImmediate(() => response.destroy());
    });
    expect(await post(http, url)).toEqual({
      outcome: 'ANSWERED',
      status,
      body: Buffer.from('begun'),
      truncated: true,
      retryAfterMs: null,
    });
  });

  test('an interim answer is none: 103, then silence, is MAYBE_SENT', async () => {
    const url = await receiver((_, response) => response.writeEarlyHints({ link: '</a>; rel=preload' }));
    expect(await post(http, url)).toEqual({ outcome: 'MAYBE_SENT', errorClass: 'timeout' });
  });
});

describe('the moment after which nothing may leave (TIM-1)', () => {
  test('one that is past: NOT_SENT, and no connection is made', async () => {
    let connections = 0;
    const url = await listening(net.createServer(() => (connections += 1)));
    const sendBefore = performance.now() - 1;
    const result = await entered(http, url).post(url, message, headers, { sendBefore });
    expect(result).toEqual({ outcome: 'NOT_SENT', errorClass: 'too-late' });
    expect(connections).toBe(0);
  });

  test('a connection that takes longer than that is not made any more', async () => {
    const names = await nameServer({ 'slow.example': { addresses: ['127.0.0.1'], ttl: 60, delayMs: 600 } });
    const patient = createOutbound({ allowLoopback: true, nameServers: [names.address] });
    let connections = 0;
    const counting = net.createServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined);
    });
    const url = (await listening(counting)).replace('127.0.0.1', 'slow.example');
    const sendBefore = performance.now() + 200;
    const result = await entered(patient, url).post(url, message, headers, { sendBefore });
    expect(result).toEqual({ outcome: 'NOT_SENT', errorClass: 'too-late' });
    await sleep(1_000); // the name has its address
    await patient.close();
    expect(connections).toBe(0);
  });

  test('a process that stood still meanwhile writes nothing when it goes on, on a connection that stands', async () => {
    let requests = 0;
    const url = await receiver((_, response) => {
      requests += 1;
      response.end();
    });
    expect(await post(http, url)).toMatchObject({ status: 200 });
    const admission = entered(http, url);
    const sendBefore = performance.now() + 50;
    const posting = admission.post(url, message, headers, { sendBefore });
    while (performance.now() <= sendBefore); // as SIGSTOP does, between the call and the write
    expect(await posting).toEqual({ outcome: 'NOT_SENT', errorClass: 'too-late' });
    expect(await post(http, url)).toMatchObject({ status: 200 });
    expect(requests).toBe(2);
  });
});

describe('connections', () => {
  test('each send has one of its own, and leaves none behind', async () => {
    let open = 0;
    let opened = 0;
    const server = createServer((_, response) => response.end('ok'));
    server.on('connection', (socket) => {
      open += 1;
      opened += 1;
      socket.on('close', () => (open -= 1));
    });
    const url = await listening(server);
    for (let count = 0; count < 20; count += 1) await post(http, url);
    await expect.poll(() => open).toBe(0);
    expect(opened).toBe(20);
  });

  test('a reset of a connection that had served before is MAYBE_SENT, and the request is not repeated', async () => {
    let requests = 0;
    const url = await receiver((request, response) => {
      requests += 1;
      if (requests === 1) response.end();
      else request.socket.resetAndDestroy();
    });
    await post(http, url);
    expect(await post(http, url)).toEqual({ outcome: 'MAYBE_SENT', errorClass: 'reset' });
    expect(requests).toBe(2);
  });
});
