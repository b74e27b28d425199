// The OpenAPI document, its page and docs/reference are complete, consistent, and in step with the code.
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { referenceFiles } from '../../../docs/reference/generate.ts';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url);
});
afterAll(() => api.close());

describe('the OpenAPI document', () => {
  const operations = () =>
    Object.entries(api.document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );

  it('has every endpoint of the specification, 1 to 19, with the aliases', () => {
    const found = operations().map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    const corridor = '{sourceCountry}/{sourceCurrency}/{destinationCountry}/{destinationCurrency}';
    expect(found).toEqual(
      expect.arrayContaining([
        'GET /countries',
        'GET /countries/{countryCode}',
        'GET /countries/{countryCode}/currencies/{currencyCode}/max-amounts',
        'GET /currencies',
        'GET /currencies/{currencyCode}',
        'GET /countries/{countryCode}/address-types-and-inputs',
        'GET /countries/{countryCode}/address-types',
        'GET /address-types/{addressTypeId}/inputs',
        'GET /fin-insts/{finInstRole}',
        'GET /countries/{countryCode}/fin-insts/{finInstRole}',
        'GET /countries/{countryCode}/fin-insts',
        'GET /fin-insts/any/{finInstIdType}/{finInstId}',
        `GET /quotes/${corridor}/{amountCurrency}/{amount}`,
        'GET /api/v1/quotes/{srcCtry}/{srcCcy}/{destCtry}/{destCcy}/',
        'GET /quotes/{quoteId}/intermediary-agents',
        'GET /quotes/{quoteId}/fees-and-amounts',
        `GET /fees-and-amounts/${corridor}/{amountCurrency}/{amount}/{exchangeRate}`,
        'GET /fee-formulas/network-scheme-fee/{countryCode}/{currencyCode}',
        'GET /fee-formulas/creditor-agent-fee/{countryCode}/{currencyCode}',
        'POST /api/v1/rates',
        'POST /rates/',
        'POST /api/v1/tier_improvements',
        'POST /improvements/tiers/',
        'POST /api/v1/psp_improvements',
        'POST /improvements/psps/',
        'GET /rates/',
        'GET /api/v1/rates',
      ]),
    );
  });

  it('declares exactly the parameters that its paths name', () => {
    for (const { path, operation } of operations()) {
      const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name).sort();
      const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
      expect(declared.map(({ name }) => name).sort(), path).toEqual(inPath);
    }
  });

  it('gives examples that fit their schemas', () => {
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    ajv.addSchema(api.document, 'openapi');
    let examples = 0;
    const check = (
      where: string,
      content: { readonly schema?: unknown; readonly example?: unknown } | undefined,
    ) => {
      if (content?.example === undefined) return;
      examples += 1;
      const schema = JSON.parse(JSON.stringify(content.schema).replaceAll('"#/', '"openapi#/')) as object;
      const validate = ajv.compile(schema);
      expect(validate(content.example), `${where}: ${ajv.errorsText(validate.errors)}`).toBe(true);
    };
    for (const { path, operation } of operations()) {
      for (const content of Object.values(operation.requestBody?.content ?? {})) check(path, content);
      for (const response of Object.values(operation.responses)) {
        for (const content of Object.values(response.content ?? {})) check(path, content);
      }
      for (const parameter of operation.parameters ?? []) {
        check(`${path} ${parameter.name}`, { schema: parameter.schema, example: parameter.schema.example });
      }
    }
    expect(examples).toBeGreaterThan(40);
  });
});

describe('the reference page', () => {
  it('loads nothing but our own files, and its policy forbids the rest', async () => {
    const page = await api.request('/reference');
    expect(page.headers.get('content-type')).toContain('text/html');
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).not.toContain('unsafe'); // tried in a browser: nothing on the page needs it
    const sources = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => source ?? '');
    expect(sources.filter((source) => !source.startsWith('/') && source !== 'data:,')).toEqual([]);
    for (const source of sources.filter((one) => one.startsWith('/'))) {
      const asset = await api.request(source);
      expect([source, asset.status]).toEqual([source, 200]);
      expect(asset.text.length).toBeGreaterThan(100);
    }
    expect((await api.request('/reference/')).status).toBe(200);
    expect((await api.request('/reference/package.json')).status).toBe(404);
  });
});

describe('docs/reference', () => {
  it.each(Object.entries(referenceFiles()))(
    '%s is what `npx node docs/reference/generate.ts` writes',
    (name, text) => {
      const file = new URL(`../../../docs/reference/${name}`, import.meta.url);
      expect(readFileSync(file, 'utf8') === text, `${name} is behind the code: generate it again`).toBe(true);
    },
  );
});
