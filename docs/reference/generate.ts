// Writes the files of docs/reference from the route definitions. Usage: `npx node
// docs/reference/generate.ts`. A test compares the files with the output, so that they always match the code.
// The script opens no connection.
import { parseApiConfig } from '../../core/settings/config.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { modulesOf } from '../../api/modules.ts';
import { createApp } from '../../api/app.ts';
import { createAuthenticator } from '../../api/auth/authenticator.ts';
import { openApiDocument } from '../../api/reference/openapi-document.ts';
import { problems } from '../../api/http/problems/problems.ts';
import { connect } from '../../db/pool/connection.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { linkRules } from './rule-links.ts';

const publicUrl = 'http://127.0.0.1:8080';

/** Returns a placeholder for a dependency that the declaration of routes must not use. Any access throws. */
function untouched(): never {
  return new Proxy({} as never, {
    get: (_, name) => {
      throw new Error(`declaring routes must not use ${String(name)}`);
    },
  });
}

function declareAll() {
  const config = parseApiConfig({
    DATABASE_URL: 'postgres://localhost/unused',
    TEMPORAL_ADDRESS: 'localhost:7233',
    PUBLIC_URL: publicUrl,
    AUTH: 'none',
  });
  const logger = pino({ level: 'silent' });
  const reference = { current: () => untouched() };
  const parts = { engine: untouched(), workflows: untouched(), answers: untouched(),
    undecided: untouched() };
  return createApp({
    // opens no connection, because no query is made
    db: connect(config.databaseUrl, { applicationName: 'isthmus-reference' }),
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
  readonly requestBody?: { readonly content: Readonly<Record<string, Content & { readonly schema?: Schema }>> };
  readonly responses: Readonly<Record<string, Answer>>;
}

interface Answer {
  readonly description?: string;
  readonly content?: Readonly<Record<string, Content>>;
}

interface Content {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly $ref?: string }>>;
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

/** Returns the contents of the generated files in this folder, by file name. */
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
    'Generated from the route definitions. `openapi.json` beside it has every schema and example. The service serves it at',
    '`/openapi.json`, and `/reference` shows it in a browser. What each refusal means: [problems](problems.md) for requests,',
    '[rejections](rejections.md) for messages. Lists in the samples are shortened.',
    '',
    '## Conventions',
    '',
    '- **Paths** work with and without a trailing slash. HTTP/1.1 only, without dot segments.',
    '- **Codes** are in capital letters. What does not look like a code is 400; a well-formed code that Isthmus does not know is 404.',
    '- **Given twice:** a query parameter, a header or a JSON member that stands twice is 400.',
    '- **Unknown** members of a JSON body are 400; unknown query parameters are ignored.',
    '- **Decimals:** a body has them as strings, and a number is 400. Answers have numbers: read them as decimals.',
    '- **JSON bodies** have at most 64 KiB (413) and 32 levels (400), and are not compressed (415).',
    '- **Pages:** the next page is an absolute address in the `Link` header. A cursor is valid for its list only.',
    '- **Caching:** reference data has an `ETag` and `no-cache`: keep it, and ask each time whether it changed. Quotes, fees and rates are `no-store`.',
    '- **Idempotency-Key:** covers 24 hours, one client, one operation and the bytes of the body.',
    '- **Requests:** `X-Request-Id` of an answer finds the request in the log. Yours is kept if it is a UUID or 32 hexadecimal digits.',
    '- **Failures:** 503 with `Retry-After` says that a part does not answer; 500 is a defect of Isthmus.',
  ];
  const shown = new Map<string, string>();
  for (const tag of document.tags ?? []) {
    lines.push('', `## ${tag.name}`, '', `${tag.description ?? ''}.`);
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        if (operation.tags?.includes(tag.name) === true) lines.push(...renderOperation(document, `${method.toUpperCase()} ${path}`, operation, shown));
      }
    }
  }
  lines.push('', '## Webhooks', '', 'What Isthmus sends to each party; `openapi.json` shows the messages.');
  for (const [name, { post }] of Object.entries(document.webhooks)) {
    lines.push('', `### ${name}`, '', sentences(post?.summary, post?.description), '');
    lines.push(...renderMessages('Message', Object.values(post?.requestBody?.content ?? {})), '', 'The receiver may answer:', '');
    for (const [status, { description }] of Object.entries(post?.responses ?? {})) {
      lines.push(`- **${status}**: ${description ?? ''}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

/** @param shown the examples printed so far, each with the request that it belongs to */
function renderOperation(document: Document, request: string, operation: Operation, shown: Map<string, string>): readonly string[] {
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
    ...renderMessages('Sample', Object.values(operation.requestBody?.content ?? {})),
    ...renderExample(document, request, operation),
    ...(refusals.length > 0 ? [`- Refusals: ${refusals.join(', ')}`] : []),
    ...renderAnswer(request, (operation.responses[200] ?? operation.responses[202])?.content ?? {}, shown),
  ];
}

/** Renders the answer with status 200 or 202 as a code block, or as links to example messages. */
function renderAnswer(request: string, content: Readonly<Record<string, Content>>, shown: Map<string, string>): readonly string[] {
  const [first] = Object.entries(content);
  const [mediaType, example] = [first?.[0], first?.[1].example];
  if (example === undefined) return renderMessages('Answer', Object.values(content));
  const text = typeof example === 'string' ? example.trimEnd().replaceAll('\r', '') : compactJson(example);
  const before = shown.get(text);
  if (before !== undefined) return [`- Answer: as for \`${before}\``];
  shown.set(text, request);
  return ['', 'Answer:', '', `\`\`\`${mediaType === 'application/json' ? 'json' : 'text'}`, text, '```'];
}

/** Renders links to the example messages in schemas/examples. */
function renderMessages(title: string, content: readonly Content[]): readonly string[] {
  const links = content.flatMap(({ examples = {} }) =>
    Object.entries(examples).map(([label, { $ref = '' }]) => `[${label}](../../schemas/examples/${$ref.split('/').at(-1) ?? ''}.xml)`),
  );
  return links.length === 0 ? [] : [`- ${title}: ${[...new Set(links)].join(', ')}`];
}

/**
 * Formats JSON in lines of at most 110 characters, unless a single value is longer. Short members share a
 * line.
 */
function compactJson(value: unknown, indent = ''): string {
  const line = JSON.stringify(value, null, 1).replaceAll(/\n */g, ' ');
  if (typeof value !== 'object' || value === null || indent.length + line.length <= 110) return line;
  const inner = `${indent}  `;
  const isArray = Array.isArray(value);
  const items = Object.entries(value).map(([name, one]) => `${isArray ? '' : `${JSON.stringify(name)}: `}${compactJson(one, inner)}`);
  const lines = items.reduce<string[]>((before, item) => {
    const last = before.at(-1);
    const joined = `${last ?? ''}, ${item}`;
    const shares = !isArray && last !== undefined && !/[{[]/.test(joined) && inner.length + joined.length < 110;
    return shares ? [...before.slice(0, -1), joined] : [...before, item];
  }, []);
  const [open, close] = isArray ? '[]' : '{}';
  return `${open}\n${lines.map((one) => `${inner}${one}`).join(',\n')}\n${indent}${close}`;
}

/**
 * Renders the members of the request body. If the body is not an object with members, it renders a
 * description.
 */
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

/** Renders an example request, if each required value has an example. */
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
