// Unanswered enquiries delay no payment to the same operator and no enquiry to another party (CBK-3).
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { createOutbound, type Admission } from '../../../activities/wire/outbound.ts';

let held = 0;
const server = createServer((incoming, outgoing) => {
  incoming.resume();
  if (incoming.url === '/iso20022/acmt023' && incoming.headers['x-party'] === 'silent') held += 1;
  else outgoing.end('ok');
});
await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
const operator = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const enquiries = `${operator}/iso20022/acmt023`;
const http = createOutbound({ allowLoopback: true, totalTimeoutMs: 5_000 });
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await http.close();
});

const body = Buffer.from('<a/>');
const isAdmitted = (one: ReturnType<typeof http.enter>): one is Admission => one.admitted;

test('100 enquiries to a silent party: 8 are sent, and a payment and an enquiry to another party pass them by', async () => {
  let ended = 0;
  const admissions = Array.from({ length: 100 }, () => http.enterFor(enquiries, 'silent')).filter(isAdmitted);
  const silent = admissions.map((admission) =>
    admission
      .post(enquiries, body, { 'x-party': 'silent' }, { timeoutMs: 2_000 })
      .finally(() => (ended += 1)),
  );
  await expect.poll(() => held).toBe(8);
  for (const [admission, url] of [
    [http.enter(operator), `${operator}/iso20022/pacs008`],
    [http.enterFor(enquiries, 'other'), enquiries],
  ] as const) {
    if (!admission.admitted) throw new Error(admission.reason);
    expect(await admission.post(url, body, {})).toMatchObject({ outcome: 'ANSWERED', status: 200 });
  }
  expect(ended).toBe(0);
  for (const result of await Promise.all(silent)) {
    expect(result).toEqual({ outcome: 'MAYBE_SENT', errorClass: 'timeout' });
  }
});
