// The measured process of `npm run bench -- hono`: our request handling and Hono's own, with the same answer, each on a
// separate port. Prints its addresses as one line of JSON.
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { cors } from 'hono/cors';
import { etag } from 'hono/etag';
import { pino } from 'pino';
import { invalidRequest, renderProblem } from '../api/problems/problem.ts';
import { amount, countryCode, currencyCode, finInstId } from '../api/input/parameters.ts';
import { referenceAnswer } from '../api/http/reference-answer.ts';
import { json, jsonHeaders } from '../api/http/response.ts';
import { createRouter, type Router } from '../api/http/route.ts';
import { unlimited } from '../core/settings/config.ts';
import { createQuotas } from '../api/limits/quotas.ts';
import { startServer } from '../api/http/server.ts';
import { origin, questions, type BySide } from './hono-questions.ts';

const anybody = {
  authenticate: () => ({ role: 'operator', clientId: 'bench' }) as const,
  knownSender: () => 'bench',
};
const named = { method: 'get', operationId: 'bench', summary: '', tag: '', roles: 'any' } as const;
const answer = { description: '', schema: z.unknown() };
const country = {
  id: 702,
  countryCode: 'SG',
  name: 'Singapore',
  currencies: [{ currencyCode: 'SGD', maxAmount: '200000' }],
  requiredMessageElements: { pacs008: ['purposeCode'] },
};

const path = '/quotes/{srcCtry}/{srcCcy}/{destCtry}/{destCcy}';
const params = z.object({
  srcCtry: countryCode,
  srcCcy: currencyCode,
  destCtry: countryCode,
  destCcy: currencyCode,
});
const query = z.object({ amt: amount, amtCcy: currencyCode, pspId: finInstId });
const body = z
  .object({
    sourceCountry: countryCode,
    sourceCurrency: currencyCode,
    destinationCountry: countryCode,
    destinationCurrency: currencyCode,
    rate: amount,
  })
  .strict();

function ours(declare: (router: Router) => void, corsOrigins: readonly string[] = []): OpenAPIHono {
  const router = createRouter(anybody, {
    corsOrigins,
    quotas: createQuotas(),
    limits: unlimited.senderLimits,
  });
  declare(router);
  return router.app;
}

function honos(declare: (app: OpenAPIHono) => void): OpenAPIHono {
  const app = new OpenAPIHono({
    strict: false,
    defaultHook: (result) => {
      if (!result.success) return renderProblem(invalidRequest([{ pointer: '', detail: 'does not hold' }]));
      return undefined;
    },
  });
  declare(app);
  return app;
}

const kept = (router: Router) => {
  const snapshot = {};
  router.add({ ...named, path: '/country', madeFrom: () => snapshot, answer }, ({ context }) =>
    referenceAnswer(context, snapshot, country),
  );
};
const plain = () => json(country);
const text = JSON.stringify(country);
const ok = { 200: { description: '' } };

const apps: BySide<OpenAPIHono> = {
  input: {
    ours: ours((router) => router.add({ ...named, path, params, query, answer }, () => json(country))),
    hono: honos((app) =>
      app.openapi(createRoute({ method: 'get', path, request: { params, query }, responses: ok }), plain),
    ),
  },
  body: {
    ours: ours((router) =>
      router.add({ ...named, method: 'post', path: '/rates', body, answer }, () => json(country)),
    ),
    hono: honos((app) =>
      app.openapi(
        createRoute({
          method: 'post',
          path: '/rates',
          request: { body: { required: true, content: { 'application/json': { schema: body } } } },
          responses: ok,
        }),
        plain,
      ),
    ),
  },
  cors: {
    ours: ours((router) => router.addPublic({ ...named, path: '/country', answers: ok }, plain), [origin]),
    hono: honos((app) => {
      app.use('*', cors({ origin: [origin], exposeHeaders: ['etag', 'retry-after'], maxAge: 600 }));
      app.get('/country', plain);
    }),
  },
  etag: {
    ours: ours(kept),
    hono: honos((app) => {
      app.use('*', etag());
      app.get('/country', () => new Response(text, { headers: { ...jsonHeaders } }));
    }),
  },
  'kept etag': {
    ours: ours(kept),
    hono: honos((app) => {
      app.use('*', etag());
      app.get('/country', () => new Response(text, { headers: { ...jsonHeaders, etag: '"kept"' } }));
    }),
  },
};

const logger = pino({ level: 'warn' });
async function listen(app: OpenAPIHono): Promise<string> {
  const { port } = await startServer(app, { host: '127.0.0.1', port: 0, logger });
  return `http://127.0.0.1:${port}`;
}
const addresses = await Promise.all(
  questions.map(async (question) => {
    const { ours: mine, hono } = apps[question];
    return [question, { ours: await listen(mine), hono: await listen(hono) }] as const;
  }),
);
console.log(JSON.stringify(Object.fromEntries(addresses)));
process.once('SIGTERM', () => {
  process.exit(0); // exit normally, so that a profiler can write its data
});
