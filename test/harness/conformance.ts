// Holds each answer against the OpenAPI document that the service itself serves: status, content type and body.
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'vitest';

export interface Operation {
  readonly operationId: string;
  readonly 'x-roles'?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { schema: unknown; example?: unknown }>>;
  };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: { readonly example?: string; readonly enum?: readonly string[] };
}

interface ResponseObject {
  readonly content?: Readonly<
    Record<string, { readonly schema?: unknown; readonly example?: unknown; readonly examples?: object }>
  >;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

export interface Observed {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string | null;
  readonly body: unknown;
}

export interface Conformance {
  readonly document: OpenApiDocument;
  /** Fails the test unless the document foresees the answer; what the document does not know is left alone. */
  check(observed: Observed): void;
}

export function conformanceWith(document: OpenApiDocument): Conformance {
  const ajv = new Ajv2020({ strict: false, allErrors: true, keywords: ['example'] });
  formats.default(ajv);
  ajv.addSchema(document, 'openapi');
  return {
    document,
    check(observed) {
      const found = findOperation(document, observed);
      if (found === undefined) return;
      const { operation, template, method } = found;
      const where = `${observed.method} ${observed.path} (${operation.operationId})`;
      const response = operation.responses[String(observed.status)];
      expect(response, `${where}: status ${observed.status} is not in the document`).toBeDefined();
      if (response?.content === undefined) return;
      const type = (observed.contentType ?? '').split(';')[0] ?? '';
      expect(Object.keys(response.content), `${where}: content type`).toContain(type);
      if (!type.includes('json')) return;
      const { code } = (observed.body ?? {}) as { readonly code?: unknown };
      if (type === 'application/problem+json' && typeof code === 'string') {
        const codes = Object.keys(response.content[type]?.examples ?? {});
        if (codes.length > 0) expect(codes, `${where}: code of the problem`).toContain(code);
      }
      const escape = (part: string) => part.replaceAll('~', '~0').replaceAll('/', '~1');
      const pointer = [
        'paths',
        template,
        method,
        'responses',
        String(observed.status),
        'content',
        type,
        'schema',
      ];
      const reference = `openapi#/${pointer.map((part) => encodeURIComponent(escape(part))).join('/')}`;
      const validate = ajv.getSchema(reference) ?? ajv.compile({ $ref: reference });
      const valid = validate(observed.body);
      expect(valid, `${where}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(observed.body)}`).toBe(
        true,
      );
    },
  };
}

function findOperation(document: OpenApiDocument, { method, path }: Observed) {
  const plain = (path.split('?')[0] ?? '').replace(/(?<=.)\/$/, '');
  const lower = method.toLowerCase();
  const matches = Object.entries(document.paths).filter(([template]) => matcherOf(template).test(plain));
  // a fixed segment goes before a parameter, as in the router
  const [best] = matches.sort(([a], [b]) => a.split('{').length - b.split('{').length);
  const operation = best?.[1][lower];
  return best === undefined || operation === undefined
    ? undefined
    : { operation, template: best[0], method: lower };
}

function matcherOf(template: string): RegExp {
  const escaped = template.replace(/(?<=.)\/$/, '').replaceAll('.', String.raw`\.`);
  return new RegExp(`^${escaped.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`);
}
