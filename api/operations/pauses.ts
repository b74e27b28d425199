// Operators pause a destination or an FX provider, and resume it. A paused destination gets no new payments
// (core/payments/bind-payment.ts). A paused provider's rates make no new quotes (core/quotes/corridor.ts).
// Payments that have already started continue. GET /parties shows current pauses. GET /pauses shows all,
// because parties ask about an ED06 rejection after the pause has ended.
import { z } from '@hono/zod-openapi';
import { compact } from '../../core/compact.ts';
import type { JsonObject } from '../../core/money/money.ts';
import { fxpNameOf, institutionNamed, type ReferenceData } from '../../core/scheme/reference.ts';
import {
  listPauses,
  pause,
  readPauses,
  resume,
  type Pause,
  type PauseFilter,
  type RecordedPause,
} from '../../db/deliveries/pauses.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { limit, sizeOf } from '../http/input/paging.ts';
import { emptyRange, instant } from '../http/input/parameters.ts';
import { problem, type Problem } from '../http/problems/problem.ts';
import { json } from '../http/response.ts';
import type { Router } from '../http/route.ts';
import { words } from './words.ts';
import { component } from '../http/component.ts';

const params = z.object({
  party: z
    .string()
    .regex(/^[!-~]{1,70}$/, 'must be a payment system, or the BIC or internalId of an FX provider')
    .openapi({ example: 'THBPPAY' }),
});
const body = z.strictObject({ because: words });

const pauseMembers = {
  party: z.string().openapi({ description: 'Payment system, or BIC of the FX provider' }),
  by: z.string().openapi({ description: 'Client id' }),
  at: z.string().openapi({ format: 'date-time' }),
  because: z.string(),
};
export const pauseSchema = component('Pause', pauseMembers);
export const recordedPauseSchema = component('RecordedPause', {
  ...pauseMembers,
  resumedBy: z.string().nullable().openapi({ description: 'Client id; null while it stands' }),
  resumedAt: z.string().nullable().openapi({ format: 'date-time' }),
  resumedBecause: z.string().nullable(),
});

const query = z.object({
  party: params.shape.party.optional(),
  from: instant.optional().openapi({ description: 'Still in force at this time, or later' }),
  to: instant.optional().openapi({ description: 'Begun before this time' }),
  limit,
});

const common = { method: 'post', tag: 'Operations', roles: ['operator'], params } as const;
const answer = { description: 'Who is paused now', schema: z.array(pauseSchema) };

export function pauseRoutes(router: Router, deps: ApiDependencies): void {
  addReading(router, deps);
  addActing(router, deps);
}

function addReading(router: Router, deps: ApiDependencies): void {
  router.add(
    {
      method: 'get',
      path: '/pauses',
      operationId: 'listPauses',
      summary: 'Pauses of destinations and FX providers, newest first',
      description:
        'Those that stand and those that are over: who paused and resumed whom, when, and why (LIF-5).',
      tag: 'Operations',
      roles: ['operator'],
      query,
      problems: ['unknown-party'],
      answer: { description: 'Pauses', schema: z.array(recordedPauseSchema) },
    },
    async ({ query: { party, from, to, limit: asked } }) => {
      const empty = emptyRange({ from, to });
      if (empty !== undefined) return empty;
      const data = deps.reference.current();
      const found = party === undefined ? undefined : partyOf(data, party);
      const partyId = found?.partyId ?? party;
      const filter = compact<PauseFilter>({ partyId, from, to });
      const pauses = await readPauses(deps.db, filter, sizeOf(asked));
      // a party that has left the scheme may still have recorded pauses
      if (party !== undefined && found === undefined && pauses.length === 0) return unknownParty(party);
      return json(pauses.map((one) => renderRecorded(data, one)));
    },
  );
}

function renderRecorded(data: ReferenceData, pause: RecordedPause): JsonObject {
  const { resumedBy, resumedAt, resumedBecause } = pause;
  return { ...renderPause(data, pause), resumedBy, resumedAt, resumedBecause };
}

function addActing(router: Router, deps: ApiDependencies): void {
  router.add(
    {
      ...common,
      path: '/parties/{party}/pause',
      operationId: 'pauseParty',
      summary: 'Pause a destination or an FX provider',
      description:
        'From now on, new payments to the payment system are rejected with RJCT ED06, or no new quotes are made from ' +
        "the FX provider's rates. Existing quotes and payments under way continue (LIF-5).",
      body: body.openapi('NewPause'),
      problems: ['unknown-party', 'already-paused'],
      answer,
    },
    async ({ params: { party }, body: { because }, caller }) => {
      const found = partyOf(deps.reference.current(), party);
      if (found === undefined) return unknownParty(party);
      const isNew = await pause(deps.db, { ...found, because, by: caller.clientId });
      return isNew ? shown(deps) : alreadyPaused(deps, found);
    },
  );
  router.add(
    {
      ...common,
      path: '/parties/{party}/resumption',
      operationId: 'resumeParty',
      summary: 'Let a paused destination or FX provider go on',
      body: body.openapi('NewResumption'),
      problems: ['unknown-party', 'not-paused'],
      answer,
    },
    async ({ params: { party }, body: { because }, caller }) => {
      // a party that has left the scheme can also be resumed
      const isStanding = (await listPauses(deps.db)).some(({ partyId }) => partyId === party);
      const found =
        partyOf(deps.reference.current(), party) ?? (isStanding ? { partyId: party, party } : undefined);
      if (found === undefined) return unknownParty(party);
      const wasPaused = await resume(deps.db, { ...found, because, by: caller.clientId });
      return wasPaused
        ? shown(deps)
        : problem('not-paused', { detail: `${found.party} is not paused; GET /parties says who is.` });
    },
  );
}

interface Party {
  readonly partyId: string;
  /** The public name of the party. */
  readonly party: string;
}

/** Reports who paused the party, when and why, unless the party was resumed in the meantime. */
async function alreadyPaused({ db }: ApiDependencies, { partyId, party }: Party): Promise<Problem> {
  const standing = (await listPauses(db)).find((one) => one.partyId === partyId);
  if (standing === undefined) return problem('already-paused');
  const { by, at, because } = standing;
  const detail = `${by} paused ${party} at ${at.toISOString()} ("${because}"). POST /parties/${party}/resumption (ops resume) ends the pause.`;
  return problem('already-paused', { detail });
}

/** Finds a payment system, or an FX provider by any of its ids. */
function partyOf(data: ReferenceData, name: string): Party | undefined {
  if (data.clearingSystems.has(name)) return { partyId: name, party: name };
  const institution = institutionNamed(data, name);
  if (institution?.roles.includes('fxp') !== true) return undefined;
  const { institutionId } = institution;
  return { partyId: institutionId, party: fxpNameOf(data, institutionId) };
}

const unknownParty = (party: string): Problem =>
  problem('unknown-party', {
    detail: `${party} is neither a payment system nor an FX provider; GET /parties lists both.`,
  });

async function shown(deps: ApiDependencies): Promise<Response> {
  const data = deps.reference.current();
  return json((await listPauses(deps.db)).map((one) => renderPause(data, one)));
}

export function renderPause(data: ReferenceData, { partyId, by, at, because }: Pause): JsonObject {
  return { party: fxpNameOf(data, partyId), by, at, because };
}
