// Where the one way out connects, and what a receiver that is full, dead or without a name costs the others.
import { pbkdf2 } from 'node:crypto';
import type { RequestListener, ServerResponse } from 'node:http';
import tls from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { isAllowedAddress } from '../../../activities/wire/connect-checked.ts';
import { createOutbound } from '../../../activities/wire/outbound.ts';
import { freePort } from '../../../cli/parts/ports.ts';
import { nameServer } from './name-server.ts';
import { entered, headers, listening, message, post, receiver } from './receivers.ts';

const http = createOutbound({ allowLoopback: true, headersTimeoutMs: 300, totalTimeoutMs: 800 });
afterAll(() => http.close());

describe('the gate of a receiver (CBK-3)', () => {
  const pending: ServerResponse[] = [];
  const hanging = () => receiver((_, response) => void pending.push(response));
  const release = () => pending.splice(0).forEach((response) => response.end());

  test('16 sends at once reach it; the 17th is held at once, and another receiver of the same host is not', async () => {
    const url = await hanging();
    const one = `${url}/one`;
    const sends = Array.from({ length: 16 }, () => entered(http, one).post(one, message, headers));
    expect(http.enter(one)).toMatchObject({ admitted: false, reason: 'gate-full' });
    expect(http.states()).toContainEqual({
      receiver: one,
      sendsUnderWay: 16,
      breaker: 'closed',
      failuresInARow: 0,
    });
    entered(http, `${url}/other`).leave();
    await expect.poll(() => pending.length).toBe(16);
    release();
    for (const result of await Promise.all(sends)) expect(result).toMatchObject({ status: 200 });
    entered(http, one).leave();
  });

  test('5 failures in a row of any kind open it; a probe after 5 s closes it again', async () => {
    const clock = { ms: 0 };
    const through = createOutbound({
      allowLoopback: true,
      headersTimeoutMs: 200,
      now: () => clock.ms,
    });
    let answer: RequestListener = () => undefined;
    const url = await receiver((request, response) => answer(request, response));
    const send = (to = url) => entered(through, url).post(to, message, headers);
    expect(await send()).toMatchObject({ errorClass: 'timeout' });
    answer = (_, response) => response.writeHead(503).end();
    expect(await send()).toMatchObject({ status: 503 });
    answer = (request) => request.socket.destroy();
    expect(await send()).toMatchObject({ errorClass: 'reset' });
    expect(await send(`http://127.0.0.1:${await freePort()}/`)).toMatchObject({ errorClass: 'refused' });
    const tooLate = await entered(through, url).post(url, message, headers, { sendBefore: 0 });
    expect(tooLate).toMatchObject({ errorClass: 'too-late' }); // says nothing about the receiver
    answer = () => undefined; // silent, so that nothing comes before the time is up
    const short = await entered(through, url).post(url, message, headers, { timeoutMs: 0 });
    expect(short).toMatchObject({ errorClass: 'timeout' }); // neither does that
    answer = (request) => request.socket.destroy();
    expect(await send()).toMatchObject({ errorClass: 'reset' });
    expect(through.enter(url)).toMatchObject({ reason: 'breaker-open' });
    clock.ms = 5_000;
    answer = (_, response) => response.writeHead(400).end(); // it lives
    expect(await send()).toMatchObject({ status: 400 });
    expect(through.states()).toEqual([]);
    await through.close();
  });
});

test('a full thread pool delays no send (CBK-3)', async () => {
  const url = await receiver((_, response) => response.end());
  let freed = 0;
  const occupy = async () => {
    await promisify(pbkdf2)('password', 'salt', 500_000, 64, 'sha512');
    freed += 1;
  };
  const pool = Promise.all(Array.from({ length: 4 }, occupy)); // as many as it has threads
  expect(await post(http, url.replace('127.0.0.1', 'localhost'))).toMatchObject({ status: 200 });
  expect(freed).toBe(0);
  await pool;
});

test('a receiver whose name server is silent stalls nobody else (CBK-3)', async () => {
  const names = await nameServer({ 'dead.example': 'silent' });
  const through = createOutbound({ allowLoopback: true, nameServers: [names.address] });
  const url = await receiver((_, response) => response.end());
  let given = 0; // sends to the silent one that were given up
  const dead = [1, 2].flatMap((receiverOf) =>
    Array.from({ length: 10 }, () => {
      const deadUrl = `http://dead.example/${receiverOf}`;
      return entered(through, deadUrl)
        .post(deadUrl, message, headers)
        .finally(() => (given += 1));
    }),
  );
  for (let count = 0; count < 10; count += 1) {
    expect(await post(through, url.replace('127.0.0.1', 'localhost'))).toMatchObject({ status: 200 });
  }
  expect(given).toBe(0);
  for (const result of await Promise.all(dead)) {
    expect(result).toEqual({ outcome: 'NOT_SENT', errorClass: 'name-timeout' });
  }
  expect(through.enter('http://dead.example/1')).toMatchObject({ reason: 'breaker-open' });
  await through.close();
});

describe('where it connects (SEC-2)', () => {
  test('to loopback only where the demo allows it, by number or by name', async () => {
    let visits = 0;
    const url = await receiver((_, response) => {
      visits += 1;
      response.end();
    });
    const strict = createOutbound({ allowLoopback: false });
    for (const address of [url, url.replace('127.0.0.1', 'localhost')]) {
      expect(await post(strict, address)).toEqual({
        outcome: 'NOT_SENT',
        errorClass: 'address-forbidden',
      });
    }
    await strict.close();
    expect(visits).toBe(0);
  });

  test('not to a name of which any address is not allowed, though others are', async () => {
    const names = await nameServer({ 'two.example': { addresses: ['127.0.0.1', '10.0.0.1'], ttl: 60 } });
    const through = createOutbound({ allowLoopback: true, nameServers: [names.address] });
    const url = await receiver((_, response) => response.end());
    expect(await post(through, url.replace('127.0.0.1', 'two.example'))).toEqual({
      outcome: 'NOT_SENT',
      errorClass: 'address-forbidden',
    });
    await through.close();
  });

  test('to the next address of a name where the first refuses', async () => {
    const names = await nameServer({ 'two.example': { addresses: ['127.0.0.2', '127.0.0.1'], ttl: 60 } });
    const through = createOutbound({ allowLoopback: true, nameServers: [names.address] });
    const url = await receiver((request, response) => response.end(request.headers.host));
    const named = url.replace('127.0.0.1', 'two.example');
    expect(await post(through, named)).toMatchObject({ body: Buffer.from(new URL(named).host) });
    await through.close();
  });

  test('by TLS with the name of the host, not of its address', async () => {
    const names = await nameServer({ 'tls.example': { addresses: ['127.0.0.1'], ttl: 60 } });
    const through = createOutbound({ allowLoopback: true, nameServers: [names.address] });
    const asked: string[] = [];
    const server = tls.createServer({
      SNICallback: (name, callback) => {
        asked.push(name);
        callback(null);
      },
    });
    const url = (await listening(server)).replace('http://127.0.0.1', 'https://tls.example');
    expect(await post(through, url)).toEqual({ outcome: 'NOT_SENT', errorClass: 'tls' });
    expect(asked).toEqual(['tls.example']);
    await through.close();
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
