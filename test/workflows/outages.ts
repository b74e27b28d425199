// Receivers that are down for a while, for the tests of orchestration: a source operator that refuses its callbacks,
// and an address that nobody listens at yet.
import { createServer, type Server } from 'node:http';
import { request } from 'undici';
import { afterAll, expect } from 'vitest';
import { quietPort } from '../harness/quiet-port.ts';
import { distinct, evidenceOf } from '../harness/evidence.ts';
import type { TestGateway } from '../harness/gateway.ts';
import { passedOn } from '../harness/listening.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, parsePacs002, submit } from '../harness/payer.ts';

/** MY to SG, so that no other test's callbacks are refused. */
export async function deadCallback(gateway: TestGateway): Promise<void> {
  const evidence = evidenceOf(gateway);
  const { sandbox } = gateway;
  const quote = await bestQuote(gateway, {
    source: 'MY',
    sourceCurrency: 'MYR',
    destination: 'SG',
    destinationCurrency: 'SGD',
  });
  const message = instruction(quote);
  const pathPrefix = '/callbacks/MYRRPP';
  sandbox.source.refuse({ status: 503, times: 2, pathPrefix });
  expect((await submit(gateway, message, { clientId: 'MYRRPP' })).report?.status).toBe('ACTC');
  const taken = await evidence.arrival(message.uetr, 'source', 'pacs002');
  const refused = sandbox.journal
    .entries()
    .filter((entry) => entry.party === 'refused' && entry.note?.startsWith(pathPrefix));
  expect(refused).toHaveLength(2);
  expect(distinct([...refused, taken])).toBe(1);
  const { messageIdentification } = parsePacs002(taken.bytes ?? '');
  expect([...refused, taken].map((entry) => entry.headers?.['webhook-id'])).toEqual([
    messageIdentification,
    messageIdentification,
    messageIdentification,
  ]);
  await evidence.closed(message.uetr);
  const attempts = await evidence.attempts(message.uetr, 'callback');
  expect(attempts.map((one) => one.http_status)).toEqual([503, 503, 200]);
  const [first = 0, second = 0] = gapsMs(attempts);
  expect(first).toBeGreaterThanOrEqual(800 - 50); // 1 s, varied by 20 %
  expect(second).toBeGreaterThanOrEqual(1_600 - 50); // 2 s
  const { delivered_at: deliveredAt } = await gateway.db
    .selectFrom('deliveries')
    .select('delivered_at')
    .where('subject_id', '=', message.uetr)
    .where('kind', '=', 'callback')
    .executeTakeFirstOrThrow();
  expect(deliveredAt).toBeInstanceOf(Date);
}

/** Milliseconds from each attempt to the next. */
export function gapsMs(attempts: readonly { readonly started_at: Date }[]): readonly number[] {
  return attempts
    .slice(1)
    .map((one, index) => one.started_at.getTime() - (attempts[index]?.started_at.getTime() ?? 0));
}

/**
 * An address that refuses connections until it is opened, and then passes everything on.
 * @param beforeAnswer waited for between the answer's arrival and its passing on
 */
export async function lateServer(
  beforeAnswer: () => Promise<void> = () => Promise.resolve(),
): Promise<{ url: string; open(target: string): Promise<void> }> {
  const port = await quietPort();
  let target = '';
  const server: Server = createServer((incoming, outgoing) => {
    request(`${target}${incoming.url ?? ''}`, {
      method: 'POST',
      body: incoming,
      headers: passedOn(incoming),
    })
      .then(async (answer) => {
        const body = Buffer.from(await answer.body.arrayBuffer());
        await beforeAnswer();
        outgoing.writeHead(answer.statusCode, { 'content-type': 'application/xml' }).end(body);
      })
      .catch(() => incoming.socket.destroy());
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${port}`,
    open: (to) => {
      target = to;
      return new Promise((resolve) => void server.listen(port, '127.0.0.1', resolve));
    },
  };
}
