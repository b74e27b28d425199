// The load generator of `npm run bench -- payments`: a source operator that submits pacs.008 and receives the
// callbacks. It is kept cheap, because it shares the machine: messages are built before the clock starts, callbacks are
// not parsed as XML.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { buildPacs008 } from '../core/iso20022/build-pacs008.ts';
import { clientCredentials, type TokenSource } from '../sandbox/tokens.ts';
import type { QuoteOnOffer } from '../fixtures/bodies.ts';
import { endingIn } from '../fixtures/endings.ts';
import { instruction } from '../fixtures/instruction.ts';
import { arrivals, closedCount } from './closed-count.ts';

/** One payment, or one run of the floor, with its sender's waiting times. */
export interface Taken {
  /** UETR, or workflow id of the floor. */
  readonly id: string;
  readonly answersAtOnce: boolean;
  readonly submitMs: number;
  /** From the submission to the callback. */
  readonly totalMs: number;
}

/** A payment that is ready to be submitted. */
export interface ReadyPayment {
  readonly uetr: string;
  readonly answersAtOnce: boolean;
  readonly body: string;
}

export interface PaymentLoad {
  /** Gets a quote for each and writes the messages; not timed. */
  prepare(count: number): Promise<readonly ReadyPayment[]>;
  /** Submits one and waits for its callback. @throws unless it ends ACCC */
  run(payment: ReadyPayment): Promise<Taken>;
  close(): Promise<void>;
}

const payerSystem = 'SGDFAST';
const payerBic = 'LOTUSGS0';
const acceptanceMark = '1999-01-01T00:00:00.000Z'; // replaced when it is sent (TIM-4)
const statusPattern = /TxSts>([A-Z]{4})</;
const uetrPattern = /OrgnlUETR>([0-9a-f-]{36})</;

export async function openPaymentLoad(apiUrl: string, concurrency: number): Promise<PaymentLoad> {
  const tokens = clientCredentials({ tokenUrl: `${apiUrl}/oauth/token` });
  const pool = new Pool(apiUrl, { connections: concurrency });
  const callbacks = arrivals<string>('callback');
  const receiver = createServer((request, response) => {
    void readText(request).then((text) => {
      response.end();
      callbacks.arrive(uetrPattern.exec(text)?.[1] ?? '', statusPattern.exec(text)?.[1] ?? '');
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const callbackUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/pacs002`;
  const path = `/iso20022/pacs008?pacs002Endpoint=${encodeURIComponent(callbackUrl)}`;
  return {
    prepare: async (count) => {
      const ready: ReadyPayment[] = [];
      await closedCount({ tasks: count, concurrency: 8 }, async (n) => {
        ready.push(write(await askQuote(pool, tokens), n % 2 === 0));
      });
      return ready;
    },
    run: async ({ uetr, answersAtOnce, body }) => {
      const token = await tokens.tokenFor(payerSystem);
      const callback = callbacks.next(uetr);
      const begun = performance.now();
      const answer = await pool.request({
        path,
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/xml' },
        body: body.replace(acceptanceMark, new Date().toISOString()),
      });
      const text = await answer.body.text();
      const submitMs = performance.now() - begun;
      expectStatus('ACTC', statusPattern.exec(text)?.[1] ?? `HTTP ${answer.statusCode}: ${text}`);
      expectStatus('ACCC', await callback);
      return { id: uetr, answersAtOnce, submitMs, totalMs: performance.now() - begun };
    },
    close: async () => {
      await pool.close();
      receiver.closeAllConnections();
      await new Promise<void>((resolve) => receiver.close(() => resolve()));
    },
  };
}

/** A fast refusal is not a result. */
function expectStatus(expected: string, actual: string): void {
  if (actual !== expected) throw new Error(`a payment was to be ${expected}; it was ${actual.slice(0, 500)}`);
}

async function askQuote(pool: Pool, tokens: TokenSource): Promise<QuoteOnOffer> {
  const answer = await pool.request({
    path: `/quotes/SG/SGD/TH/THB/SGD/1000?finInstIdType=BICFI&finInstId=${payerBic}`,
    method: 'GET',
    headers: { authorization: `Bearer ${await tokens.tokenFor(payerBic)}` },
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`no quotes: ${answer.statusCode} ${text}`);
  const [best] = (JSON.parse(text) as { quotes: QuoteOnOffer[] }).quotes;
  if (best === undefined) throw new Error('no quote');
  return best;
}

function write(quote: QuoteOnOffer, answersAtOnce: boolean): ReadyPayment {
  const message = instruction(quote, {
    ending: answersAtOnce ? endingIn.creditedAtOnce : endingIn.creditedLater,
    acceptanceDateTime: acceptanceMark,
  });
  return { uetr: message.uetr, answersAtOnce, body: buildPacs008(message) };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
