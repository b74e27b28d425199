// An api whose database is away for more than three seconds lives, whoever asks many questions at once meanwhile (SEC-7, REF-6).
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../harness/database.ts';
import { faultProxy } from '../../harness/fault-proxy.ts';
import { open } from '../http/raw-http.ts';

const database = await testDatabase();
const proxy = await faultProxy(database.url);
let child: ChildProcess;
let there: { url: string; token: string };
let said = '';
beforeAll(async () => {
  const script = join(import.meta.dirname, '../http/api-process.ts');
  const started = spawn(process.execPath, [script, proxy.address], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child = started;
  started.stderr.on('data', (data) => (said += String(data)));
  there = await new Promise((resolve, reject) => {
    createInterface({ input: started.stdout }).once('line', (line) => {
      resolve(JSON.parse(line) as typeof there);
    });
    started.once('exit', () => reject(new Error('the api process did not start')));
  });
});
afterAll(async () => {
  if (child.exitCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.stdin?.end();
  await gone;
});

test('an api whose database is away lives, whoever asks many questions at once (SEC-7, REF-6)', async () => {
  const { url, token } = there;
  const ask = () => fetch(`${url}/countries`, { headers: { authorization: `Bearer ${token}` } });
  expect((await ask()).status).toBe(200); // the token is known from now on
  const sockets = await Promise.all(Array.from({ length: 10 }, () => open(url)));
  await proxy.blackHole();
  await expect.poll(async () => (await ask()).status, { interval: 200 }).toBe(503);
  const question = `GET /countries HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  for (const socket of sockets) socket.write(question.repeat(31));
  const live = await fetch(`${url}/health/live`).then(({ status }) => status, String);
  for (const socket of sockets) socket.destroy();
  await proxy.heal();
  expect([live, child.exitCode, said]).toEqual([200, null, '']);
});
