// The same by TLS: what came before the request may be half a record, of which nobody knows yet what it says.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import { afterAll, expect, test } from 'vitest';
import { createOutboundHttp } from '../../activities/outbound-http.ts';
import { listening, post } from './receivers.ts';

process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'; // its certificate is of this test's own making

const http = createOutboundHttp({ allowLoopback: true });
const folder = mkdtempSync(join(tmpdir(), 'kept-tls-'));
afterAll(async () => {
  delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  rmSync(folder, { recursive: true });
  await http.close();
});

function ownCertificate(): { key: Buffer; cert: Buffer } {
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const args = ['req', '-x509', ...curve, '-nodes', '-subj', '/CN=test', '-keyout', key, '-out', cert];
  execFileSync('openssl', args, { stdio: 'ignore' });
  return { key: readFileSync(key), cert: readFileSync(cert) };
}

test('an answer whose first half was there before the request left is not taken for its answer (TIM-3, I-4)', async () => {
  let requests = 0;
  let receiver: tls.TLSSocket | undefined;
  const server = tls.createServer(ownCertificate(), (socket) => {
    receiver = socket
      .on('error', () => undefined)
      .on('data', () => {
        requests += 1;
        if (requests === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      });
  });
  const port = Number(new URL(await listening(server)).port);

  // The network between: it delivers in two parts what the receiver sends unasked, and nothing that leaves us then.
  let ours: net.Socket | undefined;
  let isCut = false;
  const stray: Buffer[] = [];
  const between = net.createServer((socket) => {
    ours = socket;
    const theirs = net.connect(port, '127.0.0.1').on('error', () => undefined);
    socket.on('error', () => undefined).on('close', () => theirs.destroy());
    socket.on('data', (chunk) => !isCut && theirs.write(chunk));
    theirs.on('data', (chunk) => (isCut ? stray.push(chunk) : socket.write(chunk)));
  });
  const url = (await listening(between)).replace('http:', 'https:');

  expect(await post(http, url)).toMatchObject({ outcome: 'ANSWERED' });
  await sleep(100);
  isCut = true;
  receiver?.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nstray');
  await sleep(100);
  const record = Buffer.concat(stray);
  ours?.write(record.subarray(0, 20));
  await sleep(200);
  const first = ours;
  const posting = post(http, url);
  await sleep(100);
  first?.write(record.subarray(20));
  const result = await Promise.race([posting, sleep(1_000)]);
  const body = result !== undefined && 'body' in result ? String(result.body) : 'none';
  await http.close();
  await posting;
  expect({ body, requests }).toEqual({ body: 'none', requests: 1 });
});
