// The OpenAPI document as a client generator reads it: every answer, message and problem code is described,
// including the messages that we send.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { validateRoutes } from '../../../api/payments/dry-run.ts';
import { giveUpAfterMs, nextAttempt, retryDelayMs } from '../../../core/deliveries/delivery-schedule.ts';
import type { MessageName } from '../../../core/iso20022/messages.ts';
import { exampleFiles } from '../../../docs/reference/examples.ts';
import { referenceFiles } from '../../../docs/reference/generate.ts';
import { enquiryTimesMs } from '../../../core/payments/enquiry-schedule.ts';
import { testDatabase } from '../../harness/database.ts';
import { libxml2, validTree } from '../../xml/fixtures.ts';
import { startApi } from './running-api.ts';

interface Example {
  readonly $ref?: string;
  readonly summary?: string;
  readonly value?: unknown;
}
interface Content {
  readonly schema?: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Example>>;
}
interface Answer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description?: string; readonly schema?: object }>>;
  readonly content?: Readonly<Record<string, Content>>;
}
interface Operation {
  readonly operationId: string;
  readonly 'x-roles'?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly description?: string;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Answer>>;
}
interface Document {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const document = JSON.parse(referenceFiles()['openapi.json'] ?? '') as Document;
const inPaths = Object.values(document.paths).flatMap((methods) => Object.values(methods));
const inWebhooks = Object.values(document.webhooks ?? {}).flatMap((methods) => Object.values(methods));
const operations = [...inPaths, ...inWebhooks];

function operation(id: string): Operation {
  const found = operations.find((one) => one.operationId === id);
  if (found === undefined) throw new Error(`no operation ${id}`);
  return found;
}

function resolve(reference: string): unknown {
  return reference
    .replace(/^#\//, '')
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], document);
}

const valueOf = (example: Example): unknown =>
  example.$ref === undefined ? example.value : (resolve(example.$ref) as Example).value;

/** The XML examples of a request or answer, by name. */
function messagesIn(
  content: Readonly<Record<string, Content>> | undefined,
): readonly (readonly [string, string])[] {
  const examples = content?.['application/xml']?.examples ?? {};
  return Object.entries(examples).map(([name, example]) => [name, String(valueOf(example))] as const);
}

const namespaceOf = (xml: string) => /tech:xsd:(\w+)\.(\d+)\./.exec(xml)?.slice(1).join('') as MessageName;

describe('the answers of an operation', () => {
  it('reportPacs002: 200 with our confirmation, 202 for an interim status', () => {
    const { responses } = operation('reportPacs002');
    expect(responses['202']?.description).toMatch(/interim/);
    expect(responses['202']?.content).toBeUndefined();
    expect(messagesIn(responses['200']?.content).map(([name]) => name)).toEqual(['ACCC', 'RJCT']);
  });

  it('submitPacs008: Prefer is asked for and answered, a rejection of ours is told at length', () => {
    const { parameters, responses } = operation('submitPacs008');
    const prefer = parameters?.find(({ name }) => name === 'Prefer');
    expect(prefer).toMatchObject({
      in: 'header',
      required: false,
      description: expect.stringMatching(/wait.*30/) as unknown,
    });
    expect(Object.keys(responses['200']?.headers ?? {})).toEqual(['Preference-Applied', 'Isthmus-Rejection']);
    expect(messagesIn(responses['200']?.content).map(([name]) => name)).toEqual(['ACTC', 'RJCT', 'ACCC']);
    expect(Object.keys(operation('submitAcmt023').responses['200']?.headers ?? {})).toEqual([
      'Isthmus-Rejection',
    ]);
  });

  it('each is shown by an example, where a party other than the operators of the scheme may read it', () => {
    const forParties = inPaths.filter((one) => one['x-roles']?.some((role) => role !== 'operator'));
    expect(forParties.length).toBeGreaterThan(35);
    const without = forParties.filter(({ responses }) => {
      const [content] = Object.values((responses['200'] ?? responses['202'])?.content ?? {});
      return content?.example === undefined && content?.examples === undefined;
    });
    expect(without.map(({ operationId }) => operationId)).toEqual([]);
  });

  it('each refusal shows an example per code, of that status, with what its problem says', () => {
    let shown = 0;
    for (const { operationId, responses } of inPaths) {
      for (const [status, { content, description }] of Object.entries(responses)) {
        const problem = content?.['application/problem+json'];
        if (problem === undefined || status === 'default') continue;
        const examples = Object.entries(problem.examples ?? {});
        const codes = examples.map(([code]) => code);
        expect({ operationId, status, codes }).toEqual({
          operationId,
          status,
          codes: description.split(', '),
        });
        for (const [code, example] of examples) {
          expect(valueOf(example)).toMatchObject({
            code,
            status: Number(status),
            type: `urn:isthmus:problem:${code}`,
          });
          shown += 1;
        }
      }
    }
    expect(shown).toBeGreaterThan(200);
  });
});

describe('the messages that are shown', () => {
  const shown = operations.flatMap(({ operationId, requestBody, responses }) => [
    ...messagesIn(requestBody?.content).map(([name, xml]) => [`${operationId} takes ${name}`, xml] as const),
    ...Object.values(responses).flatMap(({ content }) =>
      messagesIn(content).map(([name, xml]) => [`${operationId} is answered ${name}`, xml] as const),
    ),
  ]);

  it('stand at every request and answer that is a message', () => {
    for (const { operationId, requestBody, responses } of operations) {
      for (const content of [
        requestBody?.content,
        ...Object.values(responses).map((answer) => answer.content),
      ]) {
        if (content?.['application/xml'] === undefined) continue;
        expect({ operationId, shown: messagesIn(content).length > 0 }).toEqual({ operationId, shown: true });
      }
    }
    expect(new Set(shown.map(([, xml]) => namespaceOf(xml)))).toEqual(
      new Set(['pacs008', 'pacs002', 'acmt023', 'acmt024', 'fxtr017', 'pacs028', 'camt054']),
    );
  });

  it.each(shown)('%s: valid by our schema', async (_, xml) => {
    await validTree(namespaceOf(xml), xml);
  });

  it('are what the builders of the service make', () => {
    for (const [name, text] of Object.entries(exampleFiles())) {
      const file = new URL(`../../../schemas/examples/${name}`, import.meta.url);
      expect({ name, text: readFileSync(file, 'utf8') }).toEqual({ name, text });
    }
  });

  it('requests are taken by the dry run, once they are of this moment', async () => {
    const database = await testDatabase();
    let taken = 0;
    const api = await startApi(database.url, { modules: [validateRoutes(libxml2)] });
    try {
      for (const [id, client] of [
        ['submitPacs008', 'SGDFAST'],
        ['submitAcmt023', 'SGDFAST'],
        ['reportPacs002', 'THBPPAY'],
        ['validateMessage', 'SGDFAST'],
      ] as const) {
        for (const [name, xml] of messagesIn(operation(id).requestBody?.content)) {
          const now = xml.replace(/(<AccptncDtTm>).*?(<)/, `$1${new Date().toISOString()}$2`);
          const answer = await api.post('/iso20022/validate', now, client, {
            'content-type': 'application/xml',
          });
          expect({ id, name, body: answer.body }).toMatchObject({
            body: { valid: true, violations: [] },
          });
          taken += 1;
        }
      }
    } finally {
      await api.close();
    }
    expect(taken).toBeGreaterThanOrEqual(4);
  });
});

describe('webhooks: what we send to each party', () => {
  it.each([
    ['forwardedPacs008', 'pacs008', ['200', '202']],
    ['confirmationPacs002', 'pacs002', ['2XX', '410']],
    ['forwardedAcmt023', 'acmt023', ['200']],
    ['callbackPacs002', 'pacs002', ['2XX', '410']],
    ['callbackAcmt024', 'acmt024', ['2XX', '410']],
    ['notificationFxtr017', 'fxtr017', ['2XX', '410']],
  ])('%s carries a %s; each answer says what follows', (name, message, statuses) => {
    const { post } = document.webhooks?.[name] ?? {};
    const examples = messagesIn(post?.requestBody?.content);
    expect(examples.map(([, xml]) => namespaceOf(xml))).toEqual(examples.map(() => message));
    expect(examples.length).toBeGreaterThan(0);
    expect(Object.keys(post?.responses ?? {}).sort()).toEqual([...statuses, 'default'].sort());
    expect(post?.responses['default']?.description).toMatch(/again/);
    expect(post?.description).toMatch(/CBK-1|TIM-3|RES-1/);
  });

  it('states the delays after which we send again: those that are kept (CBK-1, TIM-2, TIM-3)', () => {
    const said = (name: string) => {
      const { post } = document.webhooks?.[name] ?? {};
      return `${post?.description} ${post?.responses['default']?.description}`;
    };
    const failed = { elapsedMs: 0, httpStatus: null, retryAfterMs: null, random: 0.5 };
    const deliveries = Array.from({ length: 15 }, (_, index) =>
      nextAttempt({ ...failed, attempts: index + 1 }),
    );
    expect(
      delaysIn(/again after (.*?), then every 8 h up to 72 h/.exec(said('callbackPacs002'))?.[1]),
    ).toEqual(deliveries.slice(0, 14).map((next) => (next.kind === 'retry' ? next.inMs : next.reason)));
    expect([deliveries[14], giveUpAfterMs]).toEqual([{ kind: 'retry', inMs: 8 * 3_600_000 }, 72 * 3_600_000]);
    const instruction = said('forwardedPacs008');
    expect(delaysIn(/sent again after (.*?) \(TIM-3\)/.exec(instruction)?.[1])).toEqual(
      [1, 2, 3].map(retryDelayMs),
    );
    const [first, second, third, fourth, ...hourly] = enquiryTimesMs;
    expect(delaysIn(/enquiry after (.*?), then hourly up to 24 h/.exec(instruction)?.[1])).toEqual(
      [first, second, third, fourth].map((ms) => ms),
    );
    expect(hourly.at(-1)).toBe(24 * 3_600_000);
  });
});

/** `1, 2 and 5 s, 1 min and 2 h 30 min`, in milliseconds. */
function delaysIn(text = ''): readonly number[] {
  const units = { s: 1_000, min: 60_000, h: 3_600_000 } as const;
  return [...text.replace('2 h 30 min', '150 min').matchAll(/((?:\d+(?:, | and )?)+) (s|min|h)\b/g)].flatMap(
    ([, numbers = '', unit]) => (numbers.match(/\d+/g) ?? []).map((one) => Number(one) * units[unit as 's']),
  );
}

describe('a client generator', () => {
  it('finds what every reference points at', () => {
    const references = JSON.stringify(document).match(/"\$ref":"[^"]+"/g) ?? [];
    for (const text of new Set(references)) {
      const reference = (JSON.parse(`{${text}}`) as { $ref: string }).$ref;
      expect({ reference, found: resolve(reference) !== undefined }).toEqual({ reference, found: true });
    }
    expect(references.length).toBeGreaterThan(100);
  });

  it('finds names of its own for every operation, also for those that we send', () => {
    const names = operations.map(({ operationId }) => operationId);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    for (const name of names) expect(name).toMatch(/^[a-z][A-Za-z0-9]*$/);
  });

  it('finds each parameter once, described answers, known tags and known security', () => {
    const tags = document.tags.map(({ name }) => name);
    const schemes = Object.keys(document.components['securitySchemes'] ?? {});
    for (const { operationId, parameters = [], responses, tags: own = [], security = [] } of operations) {
      const keys = parameters.map(({ name, in: place }) => `${place} ${name.toLowerCase()}`);
      expect({ operationId, keys }).toEqual({ operationId, keys: [...new Set(keys)] });
      for (const [status, { description }] of Object.entries(responses)) {
        expect(status).toMatch(/^([1-5]\d\d|[1-5]XX|default)$/);
        expect({ operationId, status, isDescribed: description.trim() !== '' }).toMatchObject({
          isDescribed: true,
        });
      }
      for (const tag of own) expect(tags).toContain(tag);
      for (const name of security.flatMap((one) => Object.keys(one))) expect(schemes).toContain(name);
    }
  });

  it('finds patterns that Go (RE2), Rust and browsers compile alike: no look-around, no reference back', () => {
    const patterns = new Set<string>();
    JSON.stringify(document, (name, value: unknown) => {
      if (name === 'pattern' && typeof value === 'string') patterns.add(value);
      return value;
    });
    expect(patterns.size).toBeGreaterThan(10);
    for (const pattern of patterns) {
      expect(new RegExp(pattern, 'u')).toBeInstanceOf(RegExp);
      expect(pattern).not.toMatch(/\(\?(?!:)|\\[1-9kpPuUcxbBQAzZ]|[*+?}][+]/);
      expect(pattern).not.toMatch(/\[[^\]]*(?:\[|&&|--|~~)/); // operations on sets in Rust
    }
    for (const [, most] of [...patterns].join().matchAll(/,(\d+)\}/g))
      expect(Number(most)).toBeLessThanOrEqual(1_000); // RE2
  });
});
