// A payment system or FX provider asks for a trial message to each of its own registered addresses, and reads
// the outcome. A worker sends the message (activities/deliveries/probe-endpoints.ts).
import { z } from '@hono/zod-openapi';
import { addressesOf, readTrials, wantTrials } from '../../db/scheme/probes.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { Caller } from '../http/caller.ts';
import { component } from '../http/component.ts';
import { problem } from '../http/problems/problem.ts';
import { json } from '../http/response.ts';
import type { Router } from '../http/route.ts';

const time = z.string().openapi({ format: 'date-time' });
export const trialsSchema = z.array(
  component('EndpointTrial', {
    url: z.string().openapi({ description: 'Full address' }),
    askedAt: time.nullable().openapi({ description: 'null: there was no trial of this address' }),
    finishedAt: time.nullable().openapi({ description: 'null: the outcome is not known yet' }),
    outcome: z.enum(['answered', 'failed']).nullable().openapi({
      description: 'answered: HTTP status below 500; failed: another status, or no answer',
    }),
    says: z.string().nullable().openapi({ description: 'HTTP status, or why it failed' }),
  }),
);

const common = { path: '/endpoint-trials', tag: 'Operations', roles: ['ipso', 'fxp'] } as const;
const addresses =
  "Your HTTP addresses: your operator's `endpointUrl` + `/iso20022/pacs028`, `notificationUrl`, `bookEndpointUrl`. " +
  'Queues are left out.';

/** With AUTH=none, a caller that names no party has no address. */
const partyOf = ({ clearingSystemId, institutionId }: Caller) => clearingSystemId ?? institutionId ?? '';

export function endpointTrialRoutes(router: Router, { db, reference }: ApiDependencies): void {
  router.add(
    {
      ...common,
      method: 'post',
      operationId: 'tryEndpoints',
      summary: 'Have a trial message sent to each of your addresses',
      description:
        `The message is a pacs.028 about a payment that does not exist. ${addresses} ` +
        'A request joins a trial that is under way, or that was asked for in the last 10 s.',
      body: component('NewEndpointTrials', {}),
      problems: ['no-endpoint'],
      answer: { status: 202, description: 'The trials, as they stand now', schema: trialsSchema },
    },
    async ({ caller }) => {
      const party = partyOf(caller);
      const urls = addressesOf(reference.current(), party);
      if (urls.length === 0) return party === '' ? notNamed() : problem('no-endpoint');
      await wantTrials(db, party, urls);
      return json(await trialsOf(party, urls), 202);
    },
  );
  router.add(
    {
      ...common,
      method: 'get',
      operationId: 'listEndpointTrials',
      summary: 'The last trial message to each of your addresses',
      description: addresses,
      answer: { description: 'One entry for each address', schema: trialsSchema },
    },
    async ({ caller }) => {
      const party = partyOf(caller);
      return json(await trialsOf(party, addressesOf(reference.current(), party)));
    },
  );

  async function trialsOf(party: string, urls: readonly string[]) {
    return (await readTrials(db, party, urls)).map((one) => ({ ...one }));
  }
}

const notNamed = () =>
  problem('no-endpoint', {
    detail:
      'With AUTH=none, say who you are: Authorization: Bearer <payment system, or BIC of an FX provider>.',
  });
