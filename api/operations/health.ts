// Liveness and readiness, for operators (OBS-4). The routes need no authentication, so they reveal only up or
// down.
import { z } from '@hono/zod-openapi';
import { sql } from 'kysely';
import type { ApiDependencies, ReadinessCheck } from '../dependencies.ts';
import { clientAddress, waiting, trusting } from '../http/client.ts';
import { problemsShown } from '../http/openapi.ts';
import { json } from '../http/response.ts';
import type { Router } from '../http/route.ts';
import { createTurns, turnKinds } from '../http/limits/turns.ts';
import { answersInTime } from './readiness.ts';

const stateSchema = z.enum(['up', 'down']);
const readinessSchema = z
  .object({ status: stateSchema, checks: z.record(z.string(), stateSchema) })
  .openapi('Readiness');
const livenessSchema = z.object({ status: z.literal('up') }).openapi('Liveness');

export function healthRoutes(router: Router, deps: ApiDependencies): void {
  const { instanceId = '' } = deps.config;
  const instance = instanceId === '' ? undefined : { 'isthmus-instance': instanceId };
  router.addPublic(
    {
      method: 'get',
      path: '/health/live',
      operationId: 'getLiveness',
      summary: 'Whether the process answers',
      tag: 'Service',
      answers: {
        200: {
          description: 'It does',
          headers: { 'Isthmus-Instance': { description: 'INSTANCE_ID, if set', schema: { type: 'string' } } },
          content: { 'application/json': { schema: livenessSchema } },
        },
      },
    },
    () => json({ status: 'up' }, 200, instance),
  );
  const checks: Readonly<Record<string, ReadinessCheck>> = {
    database: () => sql`select 1`.execute(deps.db),
    // eslint-disable-next-line @typescript-eslint/require-await -- the check fails if this throws
    reference: async () => deps.reference.current(),
    ...deps.readiness,
  };
  const turns = createTurns(turnKinds.stranger);
  const proxies = trusting(deps.config.trustedProxies);
  router.addPublic(
    {
      method: 'get',
      path: '/health/ready',
      operationId: 'getReadiness',
      summary: 'Whether the parts it needs answer',
      tag: 'Service',
      answers: {
        200: { description: 'All answer', content: { 'application/json': { schema: readinessSchema } } },
        429: { description: 'too-many-messages', content: problemsShown(['too-many-messages']) },
        503: { description: 'Some do not', content: { 'application/json': { schema: readinessSchema } } },
      },
    },
    (context) =>
      turns.take(
        clientAddress(context, proxies),
        async () => {
          const states = await Promise.all(
            Object.entries(checks).map(
              async ([name, check]) => [name, (await answersInTime(check)) ? 'up' : 'down'] as const,
            ),
          );
          const up = states.every(([, state]) => state === 'up');
          return json({ status: up ? 'up' : 'down', checks: Object.fromEntries(states) }, up ? 200 : 503);
        },
        waiting(context),
      ),
  );
}
