// Reads the scheme as its operators set it up: all documents, one document with its history, and a party's
// missing entries. scheme-changes.ts changes the scheme.
import { z } from '@hono/zod-openapi';
import { readinessOf } from '../../core/scheme/readiness.ts';
import { historyOf } from '../../db/scheme/changes.ts';
import { readScheme } from '../../db/scheme/read.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { problem } from '../http/problems/problem.ts';
import { json } from '../http/response.ts';
import type { Router } from '../http/route.ts';
import {
  documentListSchema,
  kindParameter,
  idExample,
  objectId,
  objectSchema,
  readinessSchema,
  renderChange,
  renderDocument,
  renderScheme,
  renderSecrets,
  schemeSchema,
} from './scheme-schemas.ts';

const common = { method: 'get', tag: 'Scheme', roles: ['operator'] } as const;

export function schemeRoutes(router: Router, deps: ApiDependencies): void {
  addLists(router, deps);
  addOne(router, deps);
  addReadiness(router, deps);
}

function addLists(router: Router, { db }: ApiDependencies): void {
  router.add(
    {
      ...common,
      path: '/admin/scheme',
      operationId: 'readScheme',
      summary: 'The whole scheme, as one export',
      description:
        'Every current object, by kind. POST /admin/imports of this or another installation takes the same form ' +
        '(ADM-3). Rates and improvements of FX providers are the current ones.',
      query: z.object({
        hashes: z.enum(['true', 'false']).optional().openapi({
          description:
            'With the hashes of client secrets, so that clients can log in where it is imported (ADM-4)',
        }),
      }),
      answer: { description: 'The scheme', schema: schemeSchema },
    },
    async ({ query: { hashes } }) => json(renderScheme(await readScheme(db), hashes === 'true')),
  );
  router.add(
    {
      ...common,
      path: '/admin/scheme/{kind}',
      operationId: 'listSchemeObjects',
      summary: 'Every object of a kind',
      params: z.object({ kind: kindParameter }),
      answer: { description: 'Their documents', schema: documentListSchema },
    },
    async ({ params: { kind } }) => {
      const scheme = await readScheme(db);
      return json([...scheme[kind].values()].map((one) => renderDocument(kind, one)));
    },
  );
}

function addOne(router: Router, { db }: ApiDependencies): void {
  router.add(
    {
      ...common,
      path: '/admin/scheme/{kind}/{id}',
      operationId: 'readSchemeObject',
      summary: 'One object, with every change of it',
      description:
        'The object may have ended (ADM-1). Its history has the author, time, reason and previous value of each ' +
        'change (ADM-2).',
      params: z.object({ kind: kindParameter, id: objectId.openapi({ example: idExample }) }),
      problems: ['unknown-object'],
      answer: { description: 'The object', schema: objectSchema },
    },
    async ({ params: { kind, id } }) => {
      const document = (await readScheme(db))[kind].get(id);
      const history = await historyOf(db, kind, id);
      if (document === undefined && history.length === 0) {
        return problem('unknown-object', {
          detail: `${kind} has no ${id}, and never had. GET /admin/scheme/${kind} lists what it has.`,
        });
      }
      return json({
        document: document === undefined ? null : renderDocument(kind, document),
        ...renderSecrets(kind, document),
        history: history.map(renderChange),
      });
    },
  );
}

function addReadiness(router: Router, { db }: ApiDependencies): void {
  router.add(
    {
      ...common,
      path: '/admin/readiness/{party}',
      operationId: 'readReadiness',
      summary: 'What an institution or payment system still lacks before it can go live',
      params: z.object({
        party: objectId.openapi({
          description: 'internalId of an institution, or payment system',
          example: 'THBPPAY',
        }),
      }),
      problems: ['unknown-party'],
      answer: { description: 'Item by item', schema: readinessSchema },
    },
    async ({ params: { party } }) => {
      const items = readinessOf(await readScheme(db), party);
      if (items === undefined) {
        return problem('unknown-party', {
          detail: `${party} is neither an institution's internalId nor a payment system.`,
        });
      }
      return json({
        isReady: items.every(({ isMet }) => isMet),
        items: items.map((one) => ({ ...one })),
      });
    },
  );
}
