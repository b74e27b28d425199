// Writes docs/reference from the route definitions: `npx node docs/reference/generate.ts`. A test compares the files
// with what this makes, so that they cannot fall behind the code. Nothing is started and nothing is connected to.
import { unlimited } from '../../core/settings/config.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { modulesOf } from '../../api/modules.ts';
import { createApp } from '../../api/app.ts';
import { createAuthenticator } from '../../api/auth/authenticator.ts';
import type { ApiDependencies } from '../../api/dependencies.ts';
import { openApiDocument } from '../../api/reference/openapi-document.ts';
import { problems } from '../../api/http/problems.ts';
import { connect } from '../../db/pool/connection.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { linkRules } from './rule-links.ts';

const publicUrl = 'http://127.0.0.1:8080';

/** Stands for a part that declaring routes does not touch. */
function untouched(): never {
  return new Proxy({} as never, {
    get: (_, name) => {
      throw new Error(`declaring routes must not use ${String(name)}`);
    },
  });
}

function declareAll() {
  const config: ApiDependencies['config'] = {
    databaseUrl: 'postgres://unused',
    logLevel: 'silent',
    temporal: { address: 'unused', namespace: 'default' },
    host: '127.0.0.1',
    port: 0,
    publicUrl,
    auth: { kind: 'none' },
    demo: false,
    corsOrigins: [],
    xsdEngine: 'libxml2',
    xercesShare: 0,
    drainSeconds: 0,
    allowLoopbackCallbacks: false,
    deliveryKeyDays: 90,
  issuerKeyDays: 0,
  fourEyes: true,
    ...unlimited,
  };
  const logger = pino({ level: 'silent' });
  const reference = { current: () => untouched() };
  const parts = { engine: untouched(), workflows: untouched(), answers: untouched(),
    undecided: untouched() };
  return createApp({
    db: connect(config.databaseUrl, { applicationName: 'isthmus-reference' }), // connects at its first query: never
    reference,
    config,
    auth: createAuthenticator(config.auth, { reference: reference.current, logger, clock: () => 0 }),
    logger,
    modules: modulesOf(parts, untouched()),
  });
}

interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly 'x-roles'?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly description?: string }>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly description?: string;
  readonly example?: unknown;
}

interface Document {
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The files of this folder by name. */
export function referenceFiles(): Readonly<Record<string, string>> {
  const document = openApiDocument(declareAll(), publicUrl, packageJson.version) as unknown as Document;
  return {
    'openapi.json': `${JSON.stringify(document, null, 2)}\n`,
    'api.md': linkRules(renderOperations(document)),
    'problems.md': linkRules(renderProblems()),
  };
}

function renderOperations(document: Document): string {
  const lines = [
    '# API reference',
    '',
    'Generated from the route definitions. `openapi.json` beside it has every schema and example; the service serves it at',
    '`/openapi.json`, and `/reference` shows it in a browser. Every path works with and without a trailing slash. What each',
    'refusal means: [problems](problems.md) for requests, [rejections](rejections.md) for messages.',
  ];
  for (const tag of document.tags ?? []) {
    lines.push('', `## ${tag.name}`, '', `${tag.description ?? ''}.`);
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        if (operation.tags?.includes(tag.name) === true) lines.push(...renderOperation(document, `${method.toUpperCase()} ${path}`, operation));
      }
    }
  }
  lines.push('', '## Webhooks', '', 'What Isthmus sends to each party; `openapi.json` shows the messages.');
  for (const [name, { post }] of Object.entries(document.webhooks)) {
    lines.push('', `### ${name}`, '', sentences(post?.summary, post?.description), '', 'What the receiver may answer:', '');
    for (const [status, { description }] of Object.entries(post?.responses ?? {})) {
      lines.push(`- **${status}**: ${description ?? ''}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function renderOperation(document: Document, request: string, operation: Operation): readonly string[] {
  const parameters = (operation.parameters ?? [])
    .filter((parameter) => parameter.in !== 'path')
    .map((parameter) => `\`${parameter.name}\`${parameter.required === true ? '' : ' (optional)'}`);
  const refusals = Object.keys(operation.responses).filter((status) => Number(status) >= 400);
  return [
    '',
    `### \`${request}\``,
    '',
    sentences(operation.summary, operation.description),
    '',
    `- Roles: ${operation['x-roles']?.join(', ') ?? 'none needed'}`,
    ...(parameters.length > 0 ? [`- Query and headers: ${parameters.join(', ')}`] : []),
    ...renderBody(document, operation),
    ...renderExample(document, request, operation),
    ...(refusals.length > 0 ? [`- Refusals: ${refusals.join(', ')}`] : []),
  ];
}

/** What the body of a request has: the members of an object, or what else it is. */
function renderBody({ components }: Document, { requestBody }: Operation): readonly string[] {
  return Object.entries(requestBody?.content ?? {}).map(([mediaType, { schema = {} }]) => {
    const shape = components.schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;
    const members = Object.entries(shape.properties ?? {}).map(([name, of]) => {
      const optional = shape.required?.includes(name) === true ? [] : ['optional'];
      const values = of.enum ?? of.items?.enum ?? [];
      const notes = [...optional, values.join(', ')].filter((note) => note !== '').join('; ');
      return `\`${name}\`${notes === '' ? '' : ` (${notes})`}`;
    });
    const empty = shape.properties === undefined ? (shape.description ?? '') : 'an empty object';
    return `- Body, \`${mediaType}\`: ${members.length > 0 ? members.join(', ') : empty.toLowerCase()}`;
  });
}

/** A request of it, where each value that it needs has an example. */
function renderExample({ components }: Document, request: string, { parameters = [], requestBody }: Operation): readonly string[] {
  const needed = parameters.filter((one) => one.in !== 'header' && (one.in === 'path' || one.required === true));
  const [content] = Object.values(requestBody?.content ?? {});
  const shape = content && components.schemas[content.schema?.$ref?.split('/').at(-1) ?? ''];
  const members = (shape?.required ?? []).map((name) => [name, shape?.properties?.[name]?.example] as const);
  const values = [...needed.map(({ schema }) => schema?.example), ...members.map(([, example]) => example)];
  if (values.length === 0 || values.includes(undefined) || (content !== undefined && members.length === 0)) return [];
  const filled = needed.reduce((text, { name, schema }) => text.replace(`{${name}}`, String(schema?.example)), request);
  const query = needed.filter((one) => one.in === 'query').map(({ name, schema }) => `${name}=${String(schema?.example)}`);
  const address = `\`${filled}${query.length > 0 ? `?${query.join('&')}` : ''}\``;
  return [`- Example: ${address}${members.length > 0 ? ` with \`${JSON.stringify(Object.fromEntries(members))}\`` : ''}`];
}

function sentences(...texts: readonly (string | undefined)[]): string {
  return texts
    .filter((text) => text !== undefined && text !== '')
    .map((text) => (text?.endsWith('.') === true ? text : `${text}.`))
    .join(' ');
}

function renderProblems(): string {
  const byStatus = new Map<number, string[]>();
  for (const [code, row] of Object.entries(problems)) {
    const rule = 'ruleId' in row ? ` (${row.ruleId})` : '';
    byStatus.set(row.status, [...(byStatus.get(row.status) ?? []), `- **\`${code}\`**${rule}: ${row.detail.replaceAll('<', String.raw`\<`)}`]);
  }
  const parts = [...byStatus].sort(([a], [b]) => a - b);
  return [
    '# Problems',
    '',
    'Every refusal on a JSON endpoint is an `application/problem+json` document (RFC 9457, SEC-4) with one of these codes; its',
    '`type` is `urn:isthmus:problem:` and the code. `errors` lists what is wrong with the input, each item with a `pointer` into',
    'the body or the name of the `parameter`. The `detail` shown here is the usual one. Generated from the table in the code.',
    ...parts.flatMap(([status, items]) => ['', `## ${status}`, '', ...items]),
    '',
  ].join('\n');
}

if (process.argv[1] === import.meta.filename) {
  for (const [name, text] of Object.entries(referenceFiles())) {
    writeFileSync(join(import.meta.dirname, name), text);
  }
}
