// A hostile broker must not stop the worker that sends to brokers (NOT-1, CBK-3). The test posts from a separate
// process with the deployment's heap limit, because a failure would crash it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type net from 'node:net';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import rhea, { type Delivery, type EventContext } from 'rhea';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { buildImage } from '../../../cli/image.ts';
import { broker } from './broker.ts';

const root = resolve(import.meta.dirname, '..', '..', '..');
const image = mkdtempSync(join(tmpdir(), 'isthmus-broker-'));
afterAll(() => rmSync(image, { recursive: true }));
const dist = await buildImage(root, image, { 'one-post': 'test/activities/wire/one-post.ts' });

const patienceMs = 15_000; // a send has 10 s in all (SEC-5)

/** What a process of its own that posts once to each says of it, unless it has ended, or stands still. */
async function posted(...urls: readonly string[]): Promise<string[]> {
  const args = ['--max-old-space-size=512', join(dist, 'one-post.js'), ...urls];
  const child = spawn(process.execPath, args, { timeout: patienceMs, killSignal: 'SIGKILL' });
  let told = '';
  let complaints = '';
  child.stdout.on('data', (data: Buffer) => (told += data.toString()));
  child.stderr.on('data', (data: Buffer) => (complaints += data.toString()));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (code !== 0) return [`ended with ${code ?? signal}`, complaints.slice(0, 200)];
  expect(complaints).toBe(''); // nothing that a broker says is for our log
  return told.split('\n');
}

const uint = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const types = { amqp: 0, sasl: 1 } as const;
const frame = (type: keyof typeof types, body: Buffer) =>
  Buffer.concat([uint(8 + body.length), Buffer.from([2, types[type], 0, 0]), body]);
const performative = (code: number, fields: number, value: Buffer) =>
  Buffer.concat([Buffer.from([0x00, 0x53, code, 0xc0, value.length + 1, fields]), value]);

/** One that takes a message, and then does what a test says. */
async function onceTaken(
  take: (socket: net.Socket, delivery: Delivery) => void,
  options: object = {},
): Promise<string> {
  const container = rhea.create_container();
  ['error', 'connection_error', 'protocol_error', 'disconnected'].forEach((event) =>
    container.on(event, () => undefined),
  );
  container.on('message', ({ connection, delivery }: EventContext) => {
    const { socket } = connection as unknown as { socket: net.Socket };
    if (delivery !== undefined) take(socket, delivery);
  });
  return addressOf(
    container.listen({
      host: '127.0.0.1',
      port: 0,
      receiver_options: { autoaccept: false },
      ...options,
    }),
  );
}

async function addressOf(server: net.Server): Promise<string> {
  if (!server.listening) await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `amqp://127.0.0.1:${(server.address() as AddressInfo).port}/trades`;
}

/** Deliveries 0 to 4,294,967,295 are settled, in 31 bytes. */
const everyDelivery = frame(
  'amqp',
  performative(
    0x15,
    4,
    Buffer.concat([Buffer.from([0x41, 0x43, 0x70]), uint(0xffffffff), Buffer.from([0x41])]),
  ),
);

test('word of four billion deliveries in 31 bytes, over and over: the send may have arrived, and those to other brokers do not fail (CBK-3, TIM-3)', async () => {
  const hostile = await onceTaken((socket) =>
    socket.write(Buffer.concat(Array<Buffer>(20).fill(everyDelivery))),
  );
  const honest = await broker();
  const told = await posted(hostile, `${honest.url}trades`);
  expect(told.sort()).toEqual(['ANSWERED 200', 'MAYBE_SENT answer-unreadable']);
});
