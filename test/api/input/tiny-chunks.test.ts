// A body that comes in many small pieces is read for nobody: each costs as much as some kilobytes in one (SEC-7, I-16). It
// counts the time of the processor, which does not depend on what else the machine does.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { iso20022Routes } from '../../../api/payments/iso20022.ts';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';
import { answersOn, open, problemOf } from '../http/raw-http.ts';

const database = await testDatabase();
let api: RunningApi;
beforeAll(async () => {
  const unused = { engine: {}, workflows: {}, answers: {} } as never; // no stranger gets so far
  api = await startApi(database.url, { modules: [iso20022Routes(unused)] });
});
afterAll(() => api.close());

const message =
  'POST /iso20022/pacs008?pacs002Endpoint=x HTTP/1.1\r\nHost: x\r\n' +
  'Content-Type: application/xml\r\nTransfer-Encoding: chunked\r\n\r\n';
const chunksOf = (size: number, bytes: number) =>
  `${size.toString(16)}\r\n${'a'.repeat(size)}\r\n`.repeat(bytes / size);

/** @returns the refusal, and milliseconds of a processor */
async function send(text: string) {
  const socket = await open(api.url);
  const before = process.cpuUsage();
  const answers = answersOn(socket);
  socket.write(text);
  const answered = new Promise((resolve) => socket.once('data', resolve));
  await answered;
  const { user, system } = process.cpuUsage(before);
  socket.end();
  return { refusal: problemOf(await answers), cpuMs: (user + system) / 1_000 };
}

test('a body in chunks of a byte is refused after the first thousands of them, with what to do (SEC-7, SEC-4, I-16)', async () => {
  const { refusal, cpuMs } = await send(message + chunksOf(1, 200_000));
  expect(refusal).toMatchObject({ status: 400, code: 'invalid-request' });
  expect(refusal.detail).toContain('larger ones');
  expect(cpuMs).toBeLessThan(2_500); // 200,000 of them took five seconds
});

test('a body in chunks of a hundred bytes is read (SEC-7)', async () => {
  const { refusal } = await send(`${message}${chunksOf(100, 200_000)}0\r\n\r\n`);
  expect(refusal).toMatchObject({ status: 401 });
});
