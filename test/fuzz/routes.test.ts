// Every route of a whole gateway, with odd parameters, headers, tokens and bodies: each answer is one that the OpenAPI document
// foresees, none is a 5xx, and none tells anything of the inside (SEC-1, SEC-4). What is judged by its XML is http.test.ts's.
import { expect, test } from 'vitest';
import { conformanceWith, type OpenApiDocument, type Operation } from '../harness/conformance.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { samples } from '../harness/only-in-all.ts';
import { pick, randomFrom } from '../xml/generate.ts';
import { oddTexts, textOf, valueOf, type JsonSchema } from './odd-json.ts';
import { eventually } from '../harness/wait.ts';

const gateway = await testGateway();
const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_128);
const cases = samples(300, 1_500);
const atOnce = 4;

const document = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as OpenApiDocument;
const conformance = conformanceWith(document);
const operations = Object.entries(document.paths).flatMap(([template, methods]) =>
  Object.entries(methods)
    .filter(([, { requestBody }]) => Object.keys(requestBody?.content ?? {})[0] !== 'application/xml')
    .map(([method, operation]) => ({ template, method: method.toUpperCase(), operation })),
);
const resolve = (ref: string) =>
  ref
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (value, step) => (value as Readonly<Record<string, unknown>>)[step],
      document,
    ) as JsonSchema;

const clients = ['LOTUSGS0', 'MERISGS0', 'SGDFAST', 'THBPPAY', 'operator', 'operator2'];
const paid = instruction(await bestQuote(gateway), { ending: endingIn.creditedAtOnce });
await submit(gateway, paid);
const known = [
  paid.uetr,
  'SG',
  'SGD',
  'TH',
  'THB',
  'LOTUSGS0',
  'SGDFAST',
  'PSP',
  'BICFI',
  '1000',
  '25',
  'countries',
  '1',
];

/** Null: none. */
async function tokenOf(random: () => number): Promise<string | null> {
  const token = await gateway.token(pick(random, clients));
  if (random() < 0.7) return `Bearer ${token}`;
  const [head = '', body = '', signature = ''] = token.split('.');
  const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
  const role = Buffer.from(body, 'base64url')
    .toString()
    .replace(/"roles":\["\w+"\]/, '"roles":["operator"]');
  return pick(random, [
    null,
    '',
    'Bearer',
    `Bearer ${head}.${body}.`,
    `Bearer ${none}.${body}.`,
    `Bearer ${head}.${Buffer.from(role).toString('base64url')}.${signature}`,
    `Bearer ${token}${token}`,
    `bearer  ${token}`,
    `Basic ${Buffer.from('operator:demo-operator').toString('base64')}`,
    `Bearer ${'a'.repeat(6_000)}`,
  ]);
}

const headerTexts = oddTexts.filter((one) => /^[\x21-\x7e]*$/.test(one));
function headersOf(random: () => number): Record<string, string> {
  const names = [
    'accept',
    'prefer',
    'idempotency-key',
    'traceparent',
    'x-forwarded-for',
    'origin',
    'if-none-match',
    'x-request-id',
  ];
  return Object.fromEntries(
    names.filter(() => random() < 0.1).map((name) => [name, pick(random, [...headerTexts, '*/*', 'wait=1'])]),
  );
}

function urlOf(template: string, { parameters = [] }: Operation, random: () => number): string {
  const value = (example: string | undefined) =>
    random() < 0.5 ? (example ?? pick(random, known)) : pick(random, random() < 0.5 ? known : oddTexts);
  const path = template.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    const example = parameters.find((one) => one.in === 'path' && one.name === name)?.schema.example;
    return encodeURIComponent(value(example).replaceAll('\ud800', '')).replace(/^\.{1,2}$/, 'dots') || 'x';
  });
  const query = parameters
    .filter((one) => one.in === 'query' && random() < 0.5)
    .map(
      (one) =>
        `${one.name}=${encodeURIComponent(value(one.schema.enum?.[0] ?? one.schema.example).replaceAll('\ud800', ''))}`,
    );
  return `${path}?${[...query, ...(random() < 0.1 ? [pick(random, ['a=1', query[0] ?? 'limit=1'])] : [])].join('&')}`;
}

function bodyOf({ requestBody, operationId }: Operation, random: () => number) {
  const [type = 'application/json', content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (content === undefined) return {};
  if (type !== 'application/json')
    return { type, body: pick(random, ['grant_type=client_credentials', 'a=%', '=&=&', oddTexts.join('&')]) };
  const odd = { resolve, oddity: pick(random, [0, 0.05, 0.3]) };
  const body = textOf(valueOf(content.schema as JsonSchema, random, odd), random);
  return {
    type: random() < 0.95 ? type : 'text/plain',
    // no token would count from then on, and whatever follows be a 401
    body: operationId === 'rotateIssuerKey' ? body.replaceAll(/("withdraw"\s*:\s*)true/g, '$1false') : body,
  };
}

const inside = /node_modules|\bat .*\.ts:\d|select .* from |postgres:|isthmus_api|ECONN/;

test(
  `${cases} odd requests to every route: an answer to each that the document foresees, none of them 5xx`,
  { timeout: 300_000 },
  async () => {
    const random = randomFrom(seed);
    const seen = new Map<string, Set<number>>();
    async function one(index: number): Promise<void> {
      const { template, method, operation } = operations[
        index % operations.length
      ] as (typeof operations)[number];
      const path = urlOf(template, operation, random);
      const { type, body } = bodyOf(operation, random);
      const authorization = await tokenOf(random);
      const response = await fetch(`${gateway.url}${path}`, {
        method,
        headers: {
          ...headersOf(random),
          ...(authorization !== null && { authorization }),
          ...(type !== undefined && { 'content-type': type }),
        },
        ...(body !== undefined && { body }),
      });
      const { status, headers } = response;
      const text = await response.text();
      const told = `case ${index} of seed ${seed}: ${method} ${path}\n${body ?? ''}\n${status} ${text}`.slice(
        0,
        4_000,
      );
      expect(status, told).toBeLessThan(500);
      expect(headers.get('x-content-type-options'), told).toBe('nosniff');
      expect(headers.get('referrer-policy'), told).toBe('no-referrer');
      expect(headers.get('content-security-policy'), told).not.toMatch(/unsafe|\*/);
      expect(text, told).not.toMatch(inside);
      const contentType = headers.get('content-type');
      const isJson = contentType?.includes('json') === true;
      conformance.check({ method, path, status, contentType, body: isJson ? JSON.parse(text) : undefined });
      const statuses = seen.get(operation.operationId) ?? new Set();
      seen.set(operation.operationId, statuses.add(status));
    }
    const indexes = Array.from({ length: cases }, (_, index) => index).values();
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (const index of indexes) await one(index);
      }),
    );
    const all = [...seen.values()];
    expect(seen.size).toBe(operations.length);
    expect(all.filter((statuses) => statuses.has(200)).length).toBeGreaterThan(operations.length / 3);
  },
);

test('afterwards a payment goes from end to end', async () => {
  for (const party of ['SGDFAST', 'THBPPAY', 'MERISGS0'])
    await fetch(`${gateway.url}/parties/${party}/resumption`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await gateway.token('operator')}`,
        'content-type': 'application/json',
      },
      body: '{"because": "the fuzzing is over"}',
    });
  const evidence = evidenceOf(gateway);
  // a party that was paused until now is resumed within a second in every process (REF-6)
  const message = await eventually(
    async () => {
      const one = instruction(await bestQuote(gateway), { ending: endingIn.creditedAtOnce });
      const { report, text } = await submit(gateway, one);
      expect(report?.status, text).toBe('ACTC');
      return one;
    },
    { everyMs: 500 },
  );
  expect((await evidence.arrival(message.uetr, 'source', 'pacs002')).status).toBe('ACCC');
  await evidence.closed(message.uetr);
});
