// GET /whoami shows the caller as its token identifies it.
import { z } from '@hono/zod-openapi';
import { mainIdentifier } from '../../core/scheme/reference.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { everyRole } from '../http/caller.ts';
import { component } from '../http/component.ts';
import { json } from '../http/response.ts';
import type { Router } from '../http/route.ts';

const schema = component('Caller', {
  clientId: z.string(),
  role: z
    .enum([...everyRole, 'all'])
    .openapi({ description: 'all: with AUTH=none, a caller without a name' }),
  party: z.string().nullable().openapi({
    description: 'Payment system of an ipso, main identifier of a psp or fxp; null for operators',
    example: 'LOTUSGS0',
  }),
});

export function whoamiRoutes(router: Router, { reference }: ApiDependencies): void {
  router.add(
    {
      method: 'get',
      path: '/whoami',
      operationId: 'getCaller',
      summary: 'What your token says about you',
      tag: 'Service',
      roles: 'any',
      turns: 'none',
      answer: { description: 'The caller', schema },
    },
    ({ caller: { clientId, role, institutionId, clearingSystemId } }) => {
      const institution =
        institutionId === undefined ? undefined : reference.current().institutions.get(institutionId);
      const party = clearingSystemId ?? (institution && mainIdentifier(institution).value) ?? null;
      return json({ clientId, role, party });
    },
  );
}
