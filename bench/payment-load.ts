// The load generator of the payment benchmarks: a source operator that submits pacs.008 and receives the
// callbacks. It must use little CPU, because it shares the machine with the gateway. So it builds messages
// before the measurement, and does not parse callbacks as XML.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { buildPacs008 } from '../core/iso20022/build-pacs008.ts';
import { clientCredentials, type TokenSource } from '../sandbox/tokens.ts';
import type { QuoteOnOffer } from '../fixtures/bodies.ts';
import { endingIn } from '../fixtures/endings.ts';
import { instruction, type Changes } from '../fixtures/instruction.ts';
import { arrivals, closedCount } from './closed-count.ts';

/** The measured times of one payment, or of one run of the floor. */
export interface Taken {
  /** UETR of the payment, or workflow id of the floor. */
  readonly id: string;
  readonly answersAtOnce: boolean;
  readonly submitMs: number;
  /** Milliseconds from the submission to the callback. */
  readonly totalMs: number;
}

/** A payment whose message is built and ready to be submitted. */
export interface ReadyPayment {
  readonly uetr: string;
  readonly answersAtOnce: boolean;
  readonly body: string;
  /** Id of the clearing system that submits the payment. */
  readonly system: string;
}

export interface Submitted {
  readonly httpStatus: number;
  /** Status in the pacs.002 of the answer; undefined if the answer is not a pacs.002. */
  readonly status: string | undefined;
  readonly text: string;
  /** Milliseconds from sending the pacs.008 to its answer. */
  readonly submitMs: number;
}

export interface PaymentLoad {
  /** Gets a quote for each payment and builds the messages. The payers take turns. This is not measured. */
  prepare(count: number): Promise<readonly ReadyPayment[]>;
  submit(payment: ReadyPayment): Promise<Submitted>;
  /**
   * Submits a payment and waits for its callback.
   * @param dueAtMs the time from which to measure, by the monotonic clock; default: now
   * @throws Error unless the final status is ACCC
   */
  run(payment: ReadyPayment, dueAtMs?: number): Promise<Taken>;
  close(): Promise<void>;
}

/**
 * A payer with a corridor of the seed data, and an amount in the source currency within the corridor's
 * maximum.
 */
export interface Payer {
  readonly system: string;
  readonly bic: string;
  readonly corridor: string;
  readonly amount: string;
}

const payer: Payer = { system: 'SGDFAST', bic: 'LOTUSGS0', corridor: 'SG/SGD/TH/THB', amount: 'SGD/1000' };

export interface PaymentLoadOptions {
  readonly concurrency: number;
  readonly payers?: readonly Payer[];
  /** Called for each callback, with the UETR, the final status and the message id. */
  readonly onFinal?: (uetr: string, status: string, messageIdentification: string) => void;
  readonly changes?: Changes;
  /** Address that the receiver of callbacks binds; default 127.0.0.1. */
  readonly receiverAddress?: string;
  /** How long to wait for a callback, in milliseconds; default 60 s. */
  readonly finalWithinMs?: number;
}

// placeholder in the built message; submit replaces it by the time of sending (TIM-4)
const acceptanceMark = '1999-01-01T00:00:00.000Z';
const refusedWaitMs = 500;
const statusPattern = /TxSts>([A-Z]{4})</;
const uetrPattern = /OrgnlUETR>([0-9a-f-]{36})</;
const messageIdPattern = /MsgId>([^<]+)</;

/** @param apiUrls the apis, which take turns */
export async function openPaymentLoad(
  apiUrls: string | readonly string[],
  options: PaymentLoadOptions,
): Promise<PaymentLoad> {
  const { concurrency, payers = [payer], onFinal, changes = {}, receiverAddress = '127.0.0.1' } = options;
  const [apiUrl = '', ...otherUrls] = [apiUrls].flat();
  const tokens = clientCredentials({ tokenUrl: `${apiUrl}/oauth/token` });
  const pool = new Pool(apiUrl, { connections: concurrency });
  const pools = [pool, ...otherUrls.map((url) => new Pool(url, { connections: concurrency }))];
  let submissions = 0;
  const callbacks = arrivals<string>('callback', options.finalWithinMs);
  const { callbackUrl, closeReceiver } = await openReceiver(receiverAddress, (text) => {
    const [uetr = '', status = '', messageId = ''] = [uetrPattern, statusPattern, messageIdPattern].map(
      (pattern) => pattern.exec(text)?.[1],
    );
    onFinal?.(uetr, status, messageId);
    callbacks.arrive(uetr, status === 'ACCC' ? status : text); // the text names the reason
  });
  const path = `/iso20022/pacs008?pacs002Endpoint=${encodeURIComponent(callbackUrl)}`;
  const send = async ({ system, body }: ReadyPayment): Promise<Submitted> => {
    const token = await tokens.tokenFor(system);
    const begun = performance.now();
    const answer = await (pools[submissions++ % pools.length] ?? pool).request({
      path,
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/xml' },
      body,
    });
    const text = await answer.body.text();
    const submitMs = performance.now() - begun;
    return { httpStatus: answer.statusCode, status: statusPattern.exec(text)?.[1], text, submitMs };
  };
  /**
   * Repeats a refused submission in the same bytes. The gateway may refuse some if other programs load the
   * machine (OVL-1), or if no worker answers in time.
   */
  const sendUntilTaken = async (payment: ReadyPayment): Promise<Submitted> => {
    const submitted = await send(payment);
    if (submitted.httpStatus !== 429 && submitted.httpStatus !== 503) return submitted;
    await delay(refusedWaitMs);
    return sendUntilTaken(payment);
  };
  return {
    prepare: async (count) => {
      const ready: ReadyPayment[] = [];
      await closedCount({ tasks: count, concurrency: 8 }, async (n) => {
        const from = payers[n % payers.length] ?? payer;
        const answersAtOnce = Math.floor(n / payers.length) % 2 === 0;
        ready.push(write(await askQuote(pool, tokens, from), { ...from, answersAtOnce, changes }));
      });
      return ready;
    },
    submit: (payment) => send(acceptedNow(payment)),
    run: async (payment, dueAtMs) => {
      const { uetr: id, answersAtOnce } = payment;
      await tokens.tokenFor(payment.system); // before the measurement starts
      const callback = callbacks.next(id);
      const begun = dueAtMs ?? performance.now();
      const { status, httpStatus, text } = await sendUntilTaken(acceptedNow(payment));
      const submitMs = performance.now() - begun;
      expectStatus('ACTC', status ?? `HTTP ${httpStatus}: ${text}`);
      expectStatus('ACCC', await callback);
      return { id, answersAtOnce, submitMs, totalMs: performance.now() - begun };
    },
    close: async () => {
      await Promise.all(pools.map((one) => one.close()));
      await closeReceiver();
    },
  };
}

/** Payments of one closed loop: their times, and the seconds from the first submission to the last callback. */
export interface PaidRound {
  readonly seconds: number;
  readonly taken: readonly Taken[];
}

/** Pays with `concurrency` clients. Each submits its next payment after the callback of the one before. */
export async function payClosedLoop(
  load: PaymentLoad,
  ready: readonly ReadyPayment[],
  concurrency: number,
): Promise<PaidRound> {
  const taken: Taken[] = [];
  const seconds = await closedCount({ tasks: ready.length, concurrency }, async (n) => {
    taken.push(await load.run(ready[n] as ReadyPayment));
  });
  return { seconds, taken };
}

const acceptedNow = (payment: ReadyPayment): ReadyPayment => ({
  ...payment,
  body: payment.body.replace(acceptanceMark, new Date().toISOString()),
});

async function openReceiver(address: string, onCallback: (text: string) => void) {
  const receiver = createServer((request, response) => {
    void readText(request).then((text) => {
      response.end();
      onCallback(text);
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, address, resolve));
  return {
    // loopback, because demos may use no other address; hosts.ts redirects it
    callbackUrl: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/pacs002`,
    closeReceiver: async () => {
      receiver.closeAllConnections();
      await new Promise<void>((resolve) => receiver.close(() => resolve()));
    },
  };
}

/** Throws on an unexpected status, because a fast refusal would distort the measurement. */
function expectStatus(expected: string, actual: string): void {
  if (actual !== expected)
    throw new Error(`a payment was to be ${expected}; it was ${actual.slice(0, 2_000)}`);
}

async function askQuote(
  pool: Pool,
  tokens: TokenSource,
  { bic, corridor, amount }: Payer,
): Promise<QuoteOnOffer> {
  const answer = await pool.request({
    path: `/quotes/${corridor}/${amount}?finInstIdType=BICFI&finInstId=${bic}`,
    method: 'GET',
    headers: { authorization: `Bearer ${await tokens.tokenFor(bic)}` },
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`no quotes: ${answer.statusCode} ${text}`);
  const [best] = (JSON.parse(text) as { quotes: QuoteOnOffer[] }).quotes;
  if (best === undefined) throw new Error('no quote');
  return best;
}

function write(
  quote: QuoteOnOffer,
  { system, answersAtOnce, changes }: Payer & { readonly answersAtOnce: boolean; readonly changes: Changes },
): ReadyPayment {
  const message = instruction(quote, {
    ending: answersAtOnce ? endingIn.creditedAtOnce : endingIn.creditedLater,
    acceptanceDateTime: acceptanceMark,
    ...changes,
  });
  return { uetr: message.uetr, answersAtOnce, system, body: buildPacs008(message) };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
