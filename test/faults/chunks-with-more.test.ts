// A destination whose server answers whole, in chunks, and then says one byte more in the same segment. What comes after
// the answer is no part of it (RFC 9112, section 9.2), and takes nothing from it.
import { createServer, type Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { receivedOf, setEndpoint } from '../harness/destination.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../harness/instruction.ts';
import { listening } from '../harness/listening.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { reportOn } from '../harness/reports.ts';

const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

function answerAll(socket: Socket): void {
  let unread = Buffer.alloc(0);
  socket.on('error', () => socket.destroy());
  socket.on('data', (data: Buffer) => {
    unread = Buffer.concat([unread, data]);
    const head = unread.indexOf('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(unread.toString('latin1', 0, head))?.[1] ?? 0);
    if (head < 0 || unread.length < head + 4 + length) return;
    const { messageIdentification, uetr, status } = receivedOf(unread.subarray(head + 4));
    unread = Buffer.alloc(0);
    const report = status === undefined ? reportOn({ messageIdentification, uetr }) : '\n';
    const half = Math.ceil(report.length / 2);
    const chunks = [report.slice(0, half), report.slice(half)].filter((part) => part !== '').map(chunk);
    const status1 = 'HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n';
    socket.end(`${status1}${chunks.join('')}0\r\n\r\n\0`);
  });
}

const destinationUrl = await listening(createServer(answerAll));
const gateway = await testGateway({
  prepare: (db) => setEndpoint(db, 'IPSO-MY', destinationUrl),
});
const evidence = evidenceOf(gateway);
const toMalaysia = { destination: 'MY', destinationCurrency: 'MYR' };

test(
  'a whole final in two chunks, and behind it a byte: it is the destination’s word, and decides (PAY-8, CBK-4, I-4)',
  { timeout: 60_000 },
  async () => {
    const message = instruction(await bestQuote(gateway, toMalaysia), { priority: 'HIGH' });
    gateway.reported.push(message.uetr);
    await submit(gateway, message);
    await vi.waitFor(async () => expect(await evidence.decision(message.uetr)).toBeDefined(), 40_000);
    // it was credited at the first request, and said so
    expect(await evidence.decision(message.uetr)).toMatchObject({
      status: 'ACCC',
      decided_by: 'destination',
    });
    expect(await evidence.attempts(message.uetr, 'instruction')).toMatchObject([{ outcome: 'ANSWERED' }]);
  },
);
