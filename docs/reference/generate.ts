// Writes docs/reference from the route definitions: `npx tsx docs/reference/generate.ts`. A test compares the files with
// what this makes, so that they cannot fall behind the code. Nothing is started and nothing is connected to.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { createApp } from '../../api/app.ts';
import { createAuthenticator } from '../../api/auth/authenticator.ts';
import type { ApiDependencies } from '../../api/dependencies.ts';
import { iso20022Routes } from '../../api/iso20022.ts';
import { oauthRoutes } from '../../api/oauth.ts';
import { openApiDocument } from '../../api/openapi-document.ts';
import { paymentRoutes } from '../../api/payments.ts';
import { problems } from '../../api/http/problem.ts';
import { resolutionRoutes } from '../../api/resolutions.ts';
import { validateRoutes } from '../../api/validate.ts';
import { connect } from '../../db/connection.ts';
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
    allowLoopbackCallbacks: false,
  };
  const logger = pino({ level: 'silent' });
  const reference = { current: () => untouched() };
  const parts = { engine: untouched(), workflows: untouched() };
  return createApp({
    db: connect(config.databaseUrl, { applicationName: 'isthmus-reference' }), // connects at its first query: never
    reference,
    config,
    auth: createAuthenticator(config.auth, { reference: reference.current, logger, clock: () => 0 }),
    logger,
    modules: [
      iso20022Routes(parts),
      resolutionRoutes(parts),
      validateRoutes(untouched()),
      paymentRoutes(untouched()),
      oauthRoutes(untouched()),
    ],
  });
}

interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly 'x-roles'?: readonly string[];
  readonly parameters?: readonly { name: string; in: string; required?: boolean }[];
  readonly responses: Readonly<Record<string, { readonly description?: string }>>;
}

interface Document {
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
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
    'Generated from the route definitions; `openapi.json` beside it is the OpenAPI 3.1 document that the service serves at',
    '`/openapi.json`, and `/reference` shows it in a browser. Every path is served with and without a trailing slash.',
  ];
  for (const tag of document.tags ?? []) {
    lines.push('', `## ${tag.name}`, '', tag.description ?? '', '');
    lines.push('| method and path | what it gives | roles | query and header parameters | refusals |', '|---|---|---|---|---|');
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        if (operation.tags?.includes(tag.name) === true) lines.push(renderOperation(method, path, operation));
      }
    }
  }
  lines.push('', '## Webhooks', '', 'What Isthmus sends to each party; `openapi.json` shows the messages.', '');
  lines.push('| name | what it is | what may be answered, and what follows |', '|---|---|---|');
  for (const [name, { post }] of Object.entries(document.webhooks)) {
    const answers = Object.entries(post?.responses ?? {}).map(
      ([status, { description }]) => `${status}: ${description ?? ''}`,
    );
    const cells = [`\`${name}\``, `${post?.summary ?? ''}. ${post?.description ?? ''}`, answers.join('<br>')];
    lines.push(`| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`);
  }
  return `${lines.join('\n')}\n`;
}

function renderOperation(method: string, path: string, operation: Operation): string {
  const parameters = (operation.parameters ?? [])
    .filter((parameter) => parameter.in !== 'path')
    .map((parameter) => `\`${parameter.name}\`${parameter.required === true ? '' : ' (optional)'}`);
  const refusals = Object.entries(operation.responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status]) => status);
  const cells = [
    `\`${method.toUpperCase()} ${path}\``,
    [operation.summary, operation.description].filter((text) => text !== undefined).join('. '),
    operation['x-roles']?.join(', ') ?? 'everybody',
    parameters.join(', '),
    refusals.join(' '),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
}

function renderProblems(): string {
  const rows = Object.entries(problems)
    .sort(([, a], [, b]) => a.status - b.status)
    .map(([code, row]) => {
      const rule = 'ruleId' in row ? row.ruleId : '';
      return `| \`${code}\` | ${row.status} | ${rule} | ${row.detail} |`;
    });
  return [
    '# Problems',
    '',
    'Every refusal on a JSON endpoint is `application/problem+json` (RFC 9457, SEC-4) with one of these codes; `type` is',
    '`urn:isthmus:problem:` and the code. Faults of the input are listed in `errors`, each with a `pointer` into the body or the',
    'name of the `parameter`. Generated from the table in `api/http/problem.ts`.',
    '',
    '| code | status | rule | usual detail |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

if (process.argv[1] === import.meta.filename) {
  for (const [name, text] of Object.entries(referenceFiles())) {
    writeFileSync(join(import.meta.dirname, name), text);
  }
}
