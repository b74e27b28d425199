// Enquiries that are not answered hold no connection that a payment to the same operator needs (CBK-3).
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { createOutboundHttp } from '../../activities/outbound-http.ts';

let held = 0;
const server = createServer((incoming, outgoing) => {
  incoming.resume();
  if (incoming.url === '/iso20022/pacs008') outgoing.end('ok');
  else held += 1; // and never answers
});
await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/iso20022`;
const http = createOutboundHttp({ allowLoopback: true, totalTimeoutMs: 5_000 });
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await http.close();
});

test('100 posts to a silent proxy directory, with a limit of their own, and a payment passes them by', async () => {
  let ended = 0;
  const silent = Array.from({ length: 100 }, () =>
    http.post(`${url}/acmt023`, Buffer.from('<a/>'), {}, 2_000).finally(() => (ended += 1)),
  );
  expect(await http.post(`${url}/pacs008`, Buffer.from('<a/>'), {})).toMatchObject({
    outcome: 'ANSWERED',
    status: 200,
  });
  expect(held).toBeGreaterThan(0);
  expect(ended).toBe(0);
  for (const result of await Promise.all(silent)) expect(result.outcome).not.toBe('ANSWERED');
});

test('the limit of a post replaces those of SEC-5 (RES-1)', async () => {
  const startedAt = performance.now();
  expect(await http.post(`${url}/acmt023`, Buffer.from('<a/>'), {}, 300)).toEqual({
    outcome: 'MAYBE_SENT',
    errorClass: 'timeout',
  });
  const tookMs = performance.now() - startedAt;
  expect(tookMs).toBeGreaterThanOrEqual(290);
  expect(tookMs).toBeLessThan(3_000);
});
