// A receiver sends unrequested HTTP answers on a kept connection. None of them counts as the receipt of a callback.
import { createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { listening } from '../harness/listening.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { eventually } from '../harness/wait.ts';

const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
const open = new Set<Socket>();
const requests: string[] = [];
let isStraying = false;

/** Answers each request. While `isStraying`, it also sends unrequested answers all the time. */
const source = createServer((socket) => {
  open.add(socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket)));
  let unread = '';
  socket.on('data', (chunk) => {
    unread += chunk.toString('latin1');
    const head = unread.indexOf('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(unread)?.[1] ?? 0);
    if (head < 0 || unread.length < head + 4 + length) return;
    requests.push(unread);
    unread = '';
    socket.write(answer);
  });
});
function stray(): void {
  if (!isStraying) return;
  for (const socket of open) socket.write(answer);
  setImmediate(stray);
}

const sourceUrl = await listening(source);
const gateway = await testGateway({
  prepare: async (db) => {
    await db
      .insertInto('operator_callback_origins')
      .values({ operator_id: 'IPSO-SG', origin: sourceUrl })
      .execute();
  },
});
const evidence = evidenceOf(gateway);

test('a callback is delivered only if its receiver got it, whatever its server says unasked (CBK-1, CBK-4, I-4)', async () => {
  const tell = async () => {
    const message = instruction(await bestQuote(gateway)); // its simulated destination credits at once
    await submit(gateway, message, { callbackUrl: `${sourceUrl}/callback` });
    await eventually(async () => {
      const attempts = await evidence.attempts(message.uetr, 'callback');
      expect(attempts.at(-1)).toMatchObject({ outcome: 'ANSWERED', http_status: 200 });
    });
    return message.uetr;
  };
  await tell(); // opens a connection that is kept
  isStraying = true;
  stray();
  const told: string[] = [];
  for (let count = 0; count < 5; count += 1) told.push(await tell());
  isStraying = false;
  expect(told.filter((uetr) => !requests.some((request) => request.includes(uetr)))).toEqual([]);
});
