/**
 * What the sandbox's tests share: a small gateway of their own (a token endpoint and an address for reports) and
 * forwarded pacs.008 as the gateway builds them. Everything goes over HTTP.
 */
import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { request } from 'undici';
import { buildForwardedPacs008, buildPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { readPacs002, type Pacs002, type TransactionStatus } from '../../core/iso20022/pacs002.ts';
import { readPacs008 } from '../../core/iso20022/pacs008.ts';
import { instruction, ownExchange } from '../../fixtures/instruction.ts';
import { reportOn } from '../harness/reports.ts';
import type { XmlEngine } from '../../xml/engine.ts';
import { createLibxml2Engine } from '../../xml/libxml2.ts';
import type { SandboxClearingSystem, SandboxOptions, SandboxTimings } from '../../sandbox/options.ts';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { clientCredentials } from '../../sandbox/tokens.ts';

const engine: XmlEngine = createLibxml2Engine();

const officialSchemas = resolve(import.meta.dirname, '../../../shared/iso20022/xsd');
/** Judges what the parties send: by the official schemas where they are at hand, and by our own always. */
const judge = createLibxml2Engine(
  existsSync(officialSchemas) ? { officialSchemaDirectory: officialSchemas } : {},
);

const clearingSystems: readonly SandboxClearingSystem[] = [
  { clearingSystemId: 'SGDFAST', operatorId: 'IPSO-SG', currencyCode: 'SGD', maxExecutionSeconds: 20 },
  { clearingSystemId: 'THBPPAY', operatorId: 'IPSO-TH', currencyCode: 'THB', maxExecutionSeconds: 1 },
];

/** Short, yet long enough for a second request on a busy machine to come before the report. */
const shortTimings: SandboxTimings = {
  answerDelayMs: 150,
  interimDelayMs: 300,
  lateByMs: 100,
  retryDelaysMs: [10, 20, 20, 20, 20],
};

export interface Forwarded {
  readonly uetr: string;
  readonly messageId: string;
  readonly text: string;
}

/** 25,000 THB at 25, fee 100: the creditor gets 24,900 (seed data, SG to TH). */
export function forwardedPacs008(values: {
  readonly ending?: string;
  /** In full, where it is not the ending that matters. */
  readonly account?: string;
  readonly uetr?: string;
  readonly priority?: 'HIGH' | 'NORM';
  readonly acceptedAt?: number;
  readonly clearingSystemId?: string;
  readonly currency?: string;
}): Forwarded {
  const { account, acceptedAt = Date.now(), clearingSystemId, currency, ...changes } = values;
  const creationDateTime = new Date(acceptedAt).toISOString();
  const message = instruction(ownExchange(), {
    creationDateTime,
    acceptanceDateTime: creationDateTime,
    endToEndId: 'INVOICE-118',
    intermediaryAgent1: { bicfi: 'HARBSGS0' },
    intermediaryAgent1Account: { otherId: 'MERI-SG-SGD' },
    intermediaryAgent2Account: { otherId: 'MERI-TH-THB' },
    ...(account === undefined ? {} : { creditorAccount: { otherId: account } }),
    ...changes,
  });
  const { uetr } = message;
  const submitted = buildPacs008(message);
  const parsed = engine.parse(Buffer.from(submitted), ['pacs008']);
  if (!parsed.ok) throw new Error(parsed.refusal.detail);
  const reading = readPacs008(parsed.value.document());
  parsed.value.dispose();
  if (!reading.ok) throw new Error(reading.refusal.text);
  const messageId = `DST${uetr.slice(0, 8)}`;
  const text = buildForwardedPacs008(reading.value, {
    messageIdentification: messageId,
    creationDateTime,
    clearingSystemId: clearingSystemId ?? 'THBPPAY',
    interbankSettlementAmount: { currency: currency ?? 'THB', amount: '25000' },
    settlementDate: creationDateTime.slice(0, 10),
    instructingAgent: { bicfi: 'HARBTHS0' },
    instructedAgent: message.creditorAgent,
  });
  return { uetr, messageId, text };
}

/** What the gateway says of a forwarded payment. */
export function statementOf(
  forwarded: Forwarded,
  status: TransactionStatus,
  values: Partial<Pacs002> = {},
): string {
  const { messageId, uetr } = forwarded;
  return reportOn(
    { messageIdentification: messageId, uetr },
    { status, ...(status === 'RJCT' && { reasonCode: 'AB03' }), ...values },
  );
}

/** The values of a pacs.002 that must be valid. */
export async function readReport(bytes: Uint8Array): Promise<Pacs002> {
  const parsed = judge.parse(bytes, ['pacs002']);
  if (!parsed.ok) throw new Error(parsed.refusal.detail);
  const violations = await parsed.value.validate();
  if (violations.length > 0) throw new Error(JSON.stringify(violations));
  const reading = readPacs002(parsed.value.document());
  parsed.value.dispose();
  if (!reading.ok) throw new Error(reading.refusal.text);
  return reading.value;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

export async function post(
  url: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/xml' },
): Promise<HttpAnswer> {
  const answer = await request(url, { method: 'POST', headers, body });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  return { status: answer.statusCode, headers: answer.headers, bytes };
}

/** A report that a destination sent on its own, as the gateway saw it. */
interface SeenReport {
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly bytes: Buffer;
}

/** The gateway's two addresses that a destination knows. */
export interface GatewayStub {
  readonly pacs002Endpoint: string;
  readonly tokenUrl: string;
  readonly reports: readonly SeenReport[];
  /** Grants given so far, by client id. */
  readonly grants: readonly string[];
  /** What is answered to a report; replaceable. */
  respond: (report: SeenReport) => { status: number; body?: string };
  /** Resolves when so many reports have come. */
  untilReports(count: number): Promise<void>;
  close(): Promise<void>;
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export async function startGatewayStub(expiresInSeconds = 3_600): Promise<GatewayStub> {
  const reports: SeenReport[] = [];
  const grants: string[] = [];
  const waiting = new Set<() => void>();
  const server: Server = createServer((incoming, outgoing) => {
    void bodyOf(incoming).then((bytes) => {
      const { authorization, 'content-type': contentType } = incoming.headers;
      if (incoming.url === '/oauth/token') {
        const [, basic = ''] = (authorization ?? '').split(' ');
        const [client = '', secret] = Buffer.from(basic, 'base64').toString().split(':');
        const granted = secret === `demo-${client}` && bytes.toString() === 'grant_type=client_credentials';
        if (granted) grants.push(client);
        outgoing.writeHead(granted ? 200 : 401, { 'content-type': 'application/json' });
        const token = `token-${client}-${grants.length}`;
        outgoing.end(
          JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: expiresInSeconds }),
        );
        return;
      }
      const report = { authorization, contentType, bytes };
      reports.push(report);
      const { status, body = '' } = stub.respond(report);
      outgoing.writeHead(status, { 'content-type': 'application/xml' });
      outgoing.end(body);
      for (const check of waiting) check();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stub: GatewayStub = {
    pacs002Endpoint: `${base}/iso20022/pacs002`,
    tokenUrl: `${base}/oauth/token`,
    reports,
    grants,
    respond: () => ({ status: 200 }),
    untilReports: (count) =>
      new Promise((resolve) => {
        const check = () => {
          if (reports.length < count) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return stub;
}

/** A sandbox that knows SG and TH and takes its tokens from the stub. */
export function startTestSandbox(
  gateway: GatewayStub,
  options: Partial<SandboxOptions> = {},
): Promise<Sandbox> {
  return startSandbox({
    clearingSystems,
    tokens: clientCredentials({ tokenUrl: gateway.tokenUrl }),
    timings: shortTimings,
    engine,
    ...options,
  });
}

/** Sends a forwarded pacs.008 to TH as the gateway does. */
export function instruct(sandbox: Sandbox, gateway: GatewayStub, forwarded: Forwarded): Promise<HttpAnswer> {
  const query = new URLSearchParams({ pacs002Endpoint: gateway.pacs002Endpoint });
  return post(`${sandbox.destinationUrl('IPSO-TH')}/iso20022/pacs008?${query.toString()}`, forwarded.text);
}

/** Sends what the gateway states to TH. */
export function confirm(sandbox: Sandbox, statement: string): Promise<HttpAnswer> {
  return post(`${sandbox.destinationUrl('IPSO-TH')}/iso20022/pacs002`, statement);
}
