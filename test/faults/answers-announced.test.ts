// Parties behind a proxy or server that announces its answer with an interim one (1xx), asked for or not: a client must
// be able to read any number of those before the answer itself (RFC 9110, section 15.2).
import { createServer, type Server, type Socket } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { receivedOf, setEndpoint } from '../harness/destination.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { listening } from '../harness/listening.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { reportOn } from '../harness/reports.ts';

/** What comes before the answer. */
const interim = {
  '100 Continue': 'HTTP/1.1 100 Continue\r\n\r\n',
  '103 Early Hints': 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n',
};

/** A server of one party: it reads each request to its end; an instruction is answered ACCC, anything else 200. */
function announcing(): { readonly server: Server; before: string } {
  const party = { server: createServer((socket) => answerAll(socket, () => party.before)), before: '' };
  return party;
}

function answerAll(socket: Socket, before: () => string): void {
  let unread = Buffer.alloc(0);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    const head = unread.indexOf('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(unread.toString('latin1', 0, head))?.[1] ?? 0);
    if (head < 0 || unread.length < head + 4 + length) return;
    const { messageIdentification, uetr, status } = receivedOf(unread.subarray(head + 4));
    unread = Buffer.alloc(0);
    const answer = status === undefined ? reportOn({ messageIdentification, uetr }) : '';
    socket.write(`${before()}HTTP/1.1 200 OK\r\ncontent-length: ${answer.length}\r\n\r\n${answer}`);
  });
}

const [destination, source] = [announcing(), announcing()];
const [destinationUrl, sourceUrl] = [await listening(destination.server), await listening(source.server)];
const gateway = await testGateway({
  maxExecutionSeconds: 4,
  prepare: async (db) => {
    await setEndpoint(db, 'IPSO-MY', destinationUrl);
    await db
      .insertInto('operator_callback_origins')
      .values({ operator_id: 'IPSO-SG', origin: sourceUrl })
      .execute();
  },
});
const evidence = evidenceOf(gateway);
const toMalaysia = { destination: 'MY', destinationCurrency: 'MYR' };

describe.each(Object.entries(interim))('%s', (_, text) => {
  test('and then a final: that is the destination’s word, and the source is told it (PAY-8, I-4)', async () => {
    destination.before = text;
    const message = instruction(await bestQuote(gateway, toMalaysia), { priority: 'HIGH' });
    gateway.reported.push(message.uetr);
    await submit(gateway, message);
    await vi.waitFor(async () => expect(await evidence.decision(message.uetr)).toBeDefined(), 10_000);
    // it was credited at the first request, and said so
    expect(await evidence.decision(message.uetr)).toMatchObject({
      status: 'ACCC',
      decided_by: 'destination',
    });
    expect(await evidence.attempts(message.uetr, 'instruction')).toMatchObject([{ outcome: 'ANSWERED' }]);
  });

  test('and then 200: the callback is delivered, and not sent again (CBK-4)', async () => {
    source.before = text;
    const message = instruction(await bestQuote(gateway)); // to Thailand, whose simulated destination credits at once
    await submit(gateway, message, { callbackUrl: `${sourceUrl}/callback` });
    await vi.waitFor(async () => {
      const [first] = await evidence.attempts(message.uetr, 'callback');
      expect(first?.outcome ?? null).not.toBeNull();
    }, 10_000);
    const delivered = [{ outcome: 'ANSWERED', http_status: 200 }];
    expect(await evidence.attempts(message.uetr, 'callback')).toMatchObject(delivered);
  });
});
