// Every route of the OpenAPI document with every role and without a token: only the roles that it names get in (SEC-1).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everyRole, type Role } from '../../../api/http/caller.ts';
import { testDatabase } from '../../harness/database.ts';
import type { Operation } from '../../harness/conformance.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url);
});
afterAll(() => api.close());

const clients: Readonly<Record<Role, string>> = {
  psp: 'LOTUSGS0',
  fxp: 'MERISGS0',
  ipso: 'SGDFAST',
  operator: 'operator',
};

/** The path with the document's own examples in place of its parameters. */
function exampleOf(template: string, operation: Operation): string {
  const values = new Map(
    (operation.parameters ?? []).map((parameter) => [
      `${parameter.in} ${parameter.name}`,
      encodeURIComponent(parameter.schema.example ?? parameter.schema.enum?.[0] ?? 'x'),
    ]),
  );
  const path = template.replaceAll(/\{([^}]+)\}/g, (_, name: string) => values.get(`path ${name}`) ?? 'x');
  const query = (operation.parameters ?? [])
    .filter((parameter) => parameter.in === 'query' && parameter.required === true)
    .map((parameter) => `${parameter.name}=${values.get(`query ${parameter.name}`) ?? ''}`);
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

async function call(method: string, path: string, client: string | null): Promise<number> {
  const answer = method === 'post' ? await api.post(path, {}, client) : await api.get(path, client);
  return answer.status;
}

describe('the role matrix', () => {
  it('lets in exactly the roles that each route names, and nobody without a token', async () => {
    const wrong: string[] = [];
    let routes = 0;
    for (const [template, methods] of Object.entries(api.document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const allowed = operation['x-roles'];
        if (allowed === undefined) continue;
        routes += 1;
        const path = exampleOf(template, operation);
        if ((await call(method, path, null)) !== 401) wrong.push(`${method} ${path} without a token`);
        for (const role of everyRole) {
          const isIn = (await call(method, path, clients[role])) !== 403;
          if (isIn !== allowed.includes(role))
            wrong.push(`${method} ${path} as ${role}: ${isIn ? 'in' : 'out'}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(routes).toBeGreaterThanOrEqual(25);
  });

  it('leaves only these routes open to everybody', () => {
    const open = Object.entries(api.document.paths).flatMap(([template, methods]) =>
      Object.values(methods).some((operation) => operation['x-roles'] === undefined) ? [template] : [],
    );
    expect(open.sort()).toEqual([
      '/.well-known/oauth-authorization-server',
      '/.well-known/webhooks/jwks.json',
      '/alert-kinds/{kind}',
      '/health/live',
      '/health/ready',
      '/oauth/jwks',
      '/oauth/token',
      '/openapi.json',
      '/rules',
      '/rules/{ruleId}',
    ]);
  });

  it('does not start with a route that names nobody, or that was not declared', async () => {
    const undeclared = startApi(database.url, {
      modules: [(router) => router.app.get('/back-door', () => new Response('in'))],
    });
    await expect(undeclared).rejects.toThrow('GET /back-door states no roles');
  });
});
