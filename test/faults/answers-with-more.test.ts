// A destination whose server answers whole, of a known length or in chunks, and then says more on the same connection: the
// answer a second time, as a defect does, or bytes beyond its end. What comes after the answer is no part of it (RFC 9112, section 9.2), and
// takes nothing from it.
import { createServer, type Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { receivedOf, setEndpoint } from '../harness/destination.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { listening } from '../harness/listening.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { reportOn } from '../harness/reports.ts';

const head = 'HTTP/1.1 200 OK\r\nconnection: close\r\n';
const ofLength = (text: string) => `${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
function inChunks(text: string): string {
  const half = Math.ceil(text.length / 2);
  return `${head}transfer-encoding: chunked\r\n\r\n${chunk(text.slice(0, half))}${chunk(text.slice(half))}0\r\n\r\n`;
}
let answerWith = ofLength;

function answerAll(socket: Socket): void {
  let unread = Buffer.alloc(0);
  socket.on('error', () => socket.destroy());
  socket.on('data', (data: Buffer) => {
    unread = Buffer.concat([unread, data]);
    const end = unread.indexOf('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(unread.toString('latin1', 0, end))?.[1] ?? 0);
    if (end < 0 || unread.length < end + 4 + length) return;
    const { messageIdentification, uetr, status } = receivedOf(unread.subarray(end + 4));
    unread = Buffer.alloc(0);
    socket.end(status === undefined ? answerWith(reportOn({ messageIdentification, uetr })) : ofLength(''));
  });
}

const destinationUrl = await listening(createServer(answerAll));
const gateway = await testGateway({
  prepare: (db) => setEndpoint(db, 'IPSO-MY', destinationUrl),
});
const evidence = evidenceOf(gateway);
const toMalaysia = { destination: 'MY', destinationCurrency: 'MYR' };

test.each([
  ['the same answer again', (report: string) => ofLength(report) + ofLength(report)],
  ['a byte that its length does not count', (report: string) => `${ofLength(report)}\0`],
  ['a byte behind its last chunk', (report: string) => `${inChunks(report)}\0`],
])(
  'a whole final, and behind it %s: it is the destination’s word, and decides (PAY-8, CBK-4, I-4)',
  { timeout: 60_000 },
  async (_, answer) => {
    answerWith = answer;
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
