// A destination whose server answers whole, and then says more on the same connection: the answer a second time, as a
// defect does, or bytes beyond its length. What comes after the answer is no part of it (RFC 9112, section 9.2), and
// takes nothing from it.
import { createServer, type Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { receivedOf, setEndpoint } from '../harness/destination.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../harness/instruction.ts';
import { listening } from '../harness/listening.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { reportOn } from '../harness/reports.ts';

let more: (answer: string) => string = () => '';

function answerAll(socket: Socket): void {
  let unread = Buffer.alloc(0);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    const head = unread.indexOf('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(unread.toString('latin1', 0, head))?.[1] ?? 0);
    if (head < 0 || unread.length < head + 4 + length) return;
    const { messageIdentification, uetr, status } = receivedOf(unread.subarray(head + 4));
    unread = Buffer.alloc(0);
    const report = status === undefined ? reportOn({ messageIdentification, uetr }) : '';
    const length2 = Buffer.byteLength(report);
    const answer = `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${length2}\r\n\r\n${report}`;
    socket.end(answer + more(answer));
  });
}

const destinationUrl = await listening(createServer(answerAll));
const gateway = await testGateway({
  prepare: (db) => setEndpoint(db, 'IPSO-MY', destinationUrl),
});
const evidence = evidenceOf(gateway);
const toMalaysia = { destination: 'MY', destinationCurrency: 'MYR' };

test.each([
  ['the same answer again', (answer: string) => answer],
  ['a byte that its length does not count', () => '\0'],
])(
  'a whole final, and behind it %s: it is the destination’s word, and decides (PAY-8, CBK-4, I-4)',
  { timeout: 60_000 },
  async (_, extra) => {
    more = extra;
    const message = instruction(await bestQuote(gateway, toMalaysia), { priority: 'HIGH' });
    gateway.reported.push(message.uetr);
    await submit(gateway, message);
    await vi.waitFor(async () => expect(await evidence.decision(message.uetr)).toBeDefined(), 30_000);
    // it was credited at the first request, and said so
    expect(await evidence.decision(message.uetr)).toMatchObject({
      status: 'ACCC',
      decided_by: 'destination',
    });
    expect(await evidence.attempts(message.uetr, 'instruction')).toMatchObject([{ outcome: 'ANSWERED' }]);
  },
);
