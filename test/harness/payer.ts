// What a source PSP and its operator do in a test: ask for quotes, submit a pacs.008 (instruction.ts), read the answer.
import { createHash } from 'node:crypto';
import { buildPacs008, type OriginalPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { takePacs002, type Pacs002 } from '../../core/iso20022/pacs002.ts';
import { recordReceived } from '../../db/records/messages.ts';
import { createLibxml2Engine } from '../../xml/libxml2.ts';
import type { QuoteOnOffer } from '../../fixtures/bodies.ts';
import { untilPast } from './wait.ts';
import type { TestGateway } from './gateway.ts';

const engine = createLibxml2Engine();

export interface Trip {
  readonly source?: string;
  readonly sourceCurrency?: string;
  readonly destination?: string;
  readonly destinationCurrency?: string;
  readonly amount?: string;
  /** BIC of the debtor agent; default: Lotus of the source country. */
  readonly psp?: string;
}

const defaultTrip = {
  source: 'SG',
  sourceCurrency: 'SGD',
  destination: 'TH',
  destinationCurrency: 'THB',
  amount: '1000',
};

/** The quotes of endpoint 12 for a trip of the source amount, asked by its debtor agent. */
export async function askQuotes(gateway: TestGateway, trip: Trip = {}): Promise<readonly QuoteOnOffer[]> {
  const { source, sourceCurrency, destination, destinationCurrency, amount } = { ...defaultTrip, ...trip };
  const psp = trip.psp ?? `LOTU${source}S0`;
  const path = `/quotes/${source}/${sourceCurrency}/${destination}/${destinationCurrency}/${sourceCurrency}/${amount}`;
  const response = await fetch(`${gateway.url}${path}?finInstIdType=BICFI&finInstId=${psp}`, {
    headers: { authorization: `Bearer ${await gateway.token(psp)}` },
  });
  if (response.status !== 200) throw new Error(`no quotes: ${response.status} ${await response.text()}`);
  const body = (await response.json()) as { quotes: QuoteOnOffer[] };
  return body.quotes;
}

export async function bestQuote(gateway: TestGateway, trip: Trip = {}): Promise<QuoteOnOffer> {
  const [best] = await askQuotes(gateway, trip);
  if (best === undefined) throw new Error('no quote');
  return best;
}

export interface Submitted {
  readonly httpStatus: number;
  readonly headers: Headers;
  readonly text: string;
  /** Of a pacs.002. */
  readonly report: Pacs002 | undefined;
}

export interface SubmitOptions {
  readonly callbackUrl?: string;
  readonly prefer?: string;
  /** Who submits: a payment system id. */
  readonly clientId?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Posts bytes to /iso20022/pacs008 as the source operator. */
export async function submitXml(
  gateway: TestGateway,
  xml: string | Uint8Array,
  options: SubmitOptions = {},
): Promise<Submitted> {
  const clientId = options.clientId ?? 'SGDFAST';
  const callbackUrl = options.callbackUrl ?? gateway.sandbox.callbackUrl(clientId);
  const response = await fetch(
    `${gateway.url}/iso20022/pacs008?pacs002Endpoint=${encodeURIComponent(callbackUrl)}`,
    {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await gateway.token(clientId)}`,
        'content-type': 'application/xml',
        ...(options.prefer === undefined ? {} : { prefer: options.prefer }),
        ...options.headers,
      },
      body: xml,
    },
  );
  const text = await response.text();
  if (response.status === 200) gateway.answers.push(text);
  return {
    httpStatus: response.status,
    headers: response.headers,
    text,
    report: response.status === 200 ? parsePacs002(text) : undefined,
  };
}

export async function submit(
  gateway: TestGateway,
  message: OriginalPacs008,
  options: SubmitOptions = {},
): Promise<Submitted> {
  return submitXml(gateway, buildPacs008(message), options);
}

/** Submits again until a busy machine has capacity for it: its own turn (429, SEC-7), or anybody's (503, OVL-1). */
export async function inTurn<Answer extends Pick<Submitted, 'httpStatus' | 'text'>>(
  send: () => Promise<Answer>,
): Promise<Answer> {
  const answer = await send();
  const isRefused = answer.httpStatus === 429 || answer.text.includes('urn:isthmus:problem:overloaded');
  if (!isRefused) return answer;
  await untilPast(1_000);
  return inTurn(send);
}

/** The values of a pacs.002 that is well formed; its validity is judged by the tests of messages. */
export function parsePacs002(xml: string | Uint8Array): Pacs002 {
  const parsed = engine.parse(typeof xml === 'string' ? Buffer.from(xml) : xml, ['pacs002']);
  if (!parsed.ok) throw new Error(`not a pacs.002: ${parsed.refusal.detail}`);
  try {
    return takePacs002(parsed.value.document());
  } finally {
    parsed.value.dispose();
  }
}

export function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Stores a submission as the api does, and brings it to no execution: as if the api had died between the two. */
export async function storeOnly(gateway: TestGateway, message: OriginalPacs008): Promise<string> {
  const { messageId } = await recordReceived(gateway.db, {
    subjectId: message.uetr,
    type: 'pacs008',
    messageIdentification: message.messageIdentification,
    leg: 'source',
    party: 'SGDFAST',
    answerUrl: gateway.sandbox.callbackUrl('SGDFAST'),
    body: Buffer.from(buildPacs008(message)),
  });
  return messageId;
}
