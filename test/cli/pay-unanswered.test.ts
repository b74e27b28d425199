// `npm run pay` without an answer: it sends the same bytes again. In the end it says that the payment may have been
// stored.
import { mkdtempSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { CommandContext } from '../../cli/command.ts';
import { UserError } from '../../cli/errors.ts';
import { pay, type PayOptions } from '../../cli/demo/pay.ts';
import { writeRunFile } from '../../cli/demo/run-file.ts';
import { testGateway } from '../harness/gateway.ts';
import { reading } from '../harness/listening.ts';
import { reportOn } from '../harness/reports.ts';

const gateway = await testGateway({ worker: false });

type Answer = (response: ServerResponse, uetr: string) => void;

const refuses =
  (status: number): Answer =>
  (response) =>
    response
      .writeHead(status, { 'content-type': 'application/problem+json' })
      .end(JSON.stringify({ title: 'What the gateway says' }));
const resets: Answer = (response) => response.destroy();
const takes: Answer = (response, uetr) =>
  response.writeHead(200).end(reportOn({ messageIdentification: 'M1', uetr }, { status: 'ACTC' }));

/** Answers in order; the last one repeats. */
let answers: readonly Answer[] = [];
const submitted: string[] = [];
const lines: string[] = [];
beforeEach(() => [submitted, lines].forEach((list) => list.splice(0)));

/** Passes everything on to the gateway, and answers submissions itself. */
const front = await reading((response, body, request) => {
  if (request.url?.startsWith('/iso20022/pacs008') === true) {
    const answer = answers[Math.min(submitted.length, answers.length - 1)];
    submitted.push(body.toString());
    const [, uetr = ''] = /<UETR>(.*)<\/UETR>/.exec(body.toString()) ?? [];
    answer?.(response, uetr);
    return;
  }
  const { method = 'GET', headers } = request;
  const { authorization = '', 'content-type': contentType = '' } = headers;
  void fetch(`${gateway.url}${request.url ?? ''}`, {
    method,
    headers: { authorization, ...(contentType !== '' && { 'content-type': contentType }) },
    ...(method === 'POST' && { body: body.toString() }),
  }).then(async (answer) => {
    const instance = answer.headers.get('isthmus-instance') ?? '';
    response.writeHead(answer.status, { 'isthmus-instance': instance }).end(await answer.text());
  });
});

const folder = mkdtempSync(join(tmpdir(), 'isthmus-pay-'));
const live = await fetch(`${gateway.url}/health/live`);
writeRunFile(folder, {
  instanceId: live.headers.get('isthmus-instance') ?? '',
  apiUrl: front,
  temporalAddress: gateway.temporalAddress,
  temporalNamespace: 'default',
  databaseUrl: gateway.databaseUrl,
  sandbox: { source: front, destination: front, fxProvider: front },
  metrics: { api: 'http://127.0.0.1:9/metrics', worker: 'http://127.0.0.1:9/metrics' },
  journalDirectory: folder,
  logDirectory: folder,
  replaced: { operators: {}, fxps: {} },
  pids: {},
});

const context: CommandContext = {
  env: {},
  root: folder,
  folder,
  terminal: { width: 400, line: (line = '') => void lines.push(line), paint: (_, painted) => painted },
  interruption: { handTo: () => undefined, isAsked: () => false, letStop: () => Promise.resolve() },
};
const typed: PayOptions = {
  from: 'SG',
  to: 'TH',
  amount: '250',
  account: '...0002',
  priority: 'NORM',
  wait: '2',
};

const payAgainst = async (...scripted: readonly Answer[]) => {
  answers = scripted;
  const exitCode = await pay(context, typed);
  return { exitCode, said: lines.join('\n') };
};

test('no answer, or a 5xx, is followed by the same bytes until --wait ends; then it may have been stored, and nobody is told to pay again (DUP-1)', async () => {
  const { exitCode, said } = await payAgainst(refuses(503), resets, refuses(500));
  expect(exitCode).toBe(3);
  expect(submitted.length).toBeGreaterThanOrEqual(2);
  expect(new Set(submitted).size).toBe(1);
  const [, uetr = ''] = /<UETR>(.*)<\/UETR>/.exec(submitted[0] ?? '') ?? [];
  expect(said).toContain('It may have been stored, and may still be paid. Do not pay again');
  expect(said).toContain(`npm run ops -- show ${uetr}`);
});

test('what is turned away until --wait ends was not stored (SEC-7)', async () => {
  const refused = await payAgainst(refuses(429)).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(UserError);
  expect(String(refused)).not.toContain('It may have been stored');
  expect(submitted.length).toBeGreaterThanOrEqual(2);
  expect(new Set(submitted).size).toBe(1);
});

test('a client of the demo that was given another secret pays with that of the environment', async () => {
  answers = [takes];
  const payAs = (ISTHMUS_CLIENT_ID: string) =>
    pay({ ...context, env: { ISTHMUS_CLIENT_ID, ISTHMUS_CLIENT_SECRET: 'another' } }, typed);
  for (const client of ['LOTUSGS0', 'SGDFAST'])
    await expect(payAs(client)).rejects.toThrow(/^POST \/oauth\/token was answered with HTTP 401/);
  expect(submitted).toEqual([]);
  expect(await payAs('operator')).toBe(3);
});
