// Each way in which the proxy fails, seen by a real HTTP client before a real server.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'undici';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { openFaultProxy, type Conduct } from '../../chaos/system/fault-proxy.ts';
import { eventually } from '../harness/wait.ts';

let arrived = 0;
const server = createServer((request, response) => {
  arrived += 1;
  request.resume().once('end', () => response.end('done'));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const proxy = await openFaultProxy({
  target: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  trap: 'http://127.0.0.1:1/trap',
});
afterAll(async () => {
  await proxy.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(async () => {
  await proxy.conduct('pass');
  arrived = 0;
});

const body = 'x'.repeat(100_000); // more than one piece
const patienceMs = 1_200; // longer than the slowest answer of the proxy

/** @param isLast sends `connection: close`, as our client does */
async function post({ isLast = false, client = new Client(`http://${proxy.origin}`) } = {}): Promise<string> {
  try {
    const {
      statusCode,
      headers,
      body: answer,
    } = await client.request({
      path: '/',
      method: 'POST',
      body,
      reset: isLast,
      signal: AbortSignal.timeout(patienceMs),
    });
    const text = await answer.text();
    const { location = '', 'retry-after': retryAfter = '' } = headers;
    return [statusCode, String(location), String(retryAfter), text].filter((part) => part !== '').join(' ');
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    return /Timeout|Abort/.test(name) ? 'no answer' : (code ?? name);
  } finally {
    await client.destroy();
  }
}

describe('a party behind the proxy', () => {
  it.each<[Conduct, string, number]>([
    ['pass', '200 done', 1],
    ['refuse', 'ECONNREFUSED', 0],
    ['silent', 'no answer', 0],
    ['hang', 'no answer', 0],
    ['keep-answer', 'no answer', 1],
    ['fail', '503', 0],
    ['fail-for-now', '503 2', 0],
    ['fail-late', '503', 0],
    ['garbage', '200 <nothing>', 0],
    ['redirect', '307 http://127.0.0.1:1/trap', 0],
    ['endless', 'no answer', 0],
    ['slow', '200 done', 1],
  ])('%s: its client sees "%s", and %i requests arrive', async (conduct, seen, reached) => {
    await proxy.conduct(conduct);
    expect(await post()).toBe(seen);
    expect(arrived).toBe(reached);
    expect(await post({ isLast: true })).toBe(seen);
    expect(arrived).toBe(2 * reached);
  });

  it.each<[Conduct, number]>([
    ['reset', 0],
    ['lose-answer', 1],
  ])('%s: the connection is reset, and %i requests arrive', async (conduct, reached) => {
    await proxy.conduct(conduct);
    expect(await post()).toMatch(/ECONNRESET|UND_ERR_SOCKET|EPIPE/);
    expect(arrived).toBe(reached);
  });

  it('works again when it is healed, and delivers nothing late that it held back', async () => {
    await proxy.conduct('silent');
    const held = post();
    await delay(100);
    await proxy.conduct('pass');
    expect(await post()).toBe('200 done');
    expect(await held).toBe('no answer');
    expect(arrived).toBe(1);
  });

  it.each([
    ['stays open', ''],
    ['was to end with it', 'connection: close\r\n'],
  ])('says something unasked after an answer, on a connection that %s', async (_, connection) => {
    await proxy.conduct('unasked');
    const socket = connect(Number(new URL(`http://${proxy.origin}`).port), '127.0.0.1');
    let seen = '';
    socket.on('data', (chunk: Buffer) => (seen += chunk.toString()));
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\n${connection}content-length: 0\r\n\r\n`);
    await eventually(() => expect(seen.match(/HTTP\/1\.1 200/g)).toHaveLength(2));
    socket.destroy();
    expect(arrived).toBe(1);
  });
});
