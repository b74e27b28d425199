// Once the way out is closed it makes no connection any more, whatever it was doing.
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createOutbound } from '../../../activities/wire/outbound.ts';
import { listening as listeningAt } from '../../harness/listening.ts';
import { nameServer } from './name-server.ts';
import { entered, headers, listening, message } from './receivers.ts';

test('close ends what is connecting: the next address of the name is not tried (SEC-5)', async () => {
  const names = await nameServer({ 'two.example': { addresses: ['127.0.0.1', '127.0.0.2'], ttl: 60 } });
  const http = createOutbound({ allowLoopback: true, nameServers: [names.address] });
  const silent = net.createServer((socket) => socket.on('error', () => undefined)); // no TLS ever comes about
  const url = (await listening(silent)).replace('http://127.0.0.1', 'https://two.example');
  let connections = 0;
  const second = net.createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => second.listen(Number(new URL(url).port), '127.0.0.2', resolve));
  const posting = entered(http, url).post(url, message, headers);
  await sleep(500);
  const before = connections;
  await http.close();
  expect(await posting).toEqual({ outcome: 'NOT_SENT', errorClass: 'closed' });
  await sleep(500);
  const after = connections;
  second.close();
  expect({ before, after }).toEqual({ before: 0, after: 0 });
});

test('close while a name resolves: no connection is made when it has (SEC-5)', async () => {
  const names = await nameServer({ 'slow.example': { addresses: ['127.0.0.1'], ttl: 60, delayMs: 300 } });
  const http = createOutbound({ allowLoopback: true, nameServers: [names.address] });
  let connections = 0;
  const url = (
    await listeningAt(
      net.createServer((socket) => {
        connections += 1;
        socket.on('error', () => undefined);
      }),
    )
  ).replace('127.0.0.1', 'slow.example');
  const posting = entered(http, url).post(url, message, headers);
  await sleep(100);
  await http.close();
  expect(await posting).toEqual({ outcome: 'NOT_SENT', errorClass: 'closed' });
  await sleep(600);
  expect(connections).toBe(0);
});
