// GET /parties: the health of payment systems and FX providers, measured by the messages sent to them
// (OBS-7), and the messages in their name that were refused for their signature. Operators see all parties.
// A payment system or FX provider sees itself.
import { z } from '@hono/zod-openapi';
import { partiesOf, stateOf, type PartyHealth } from '../../core/deliveries/party-health.ts';
import type { JsonObject } from '../../core/money/money.ts';
import { listPauses } from '../../db/deliveries/pauses.ts';
import { readPartyHealth, readReceivers, readWorkers } from '../../db/deliveries/party-health.ts';
import { codeSetsSchema, renderCodeSets } from '../reference/code-sets.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { doesEngineAnswer, engineSchema, workersSchema } from './hindrances.ts';
import { fxpNameOf, type ReferenceData } from '../../core/scheme/reference.ts';
import type { Caller } from '../http/caller.ts';
import { minutesBack } from '../http/input/parameters.ts';
import { json } from '../http/response.ts';
import type { Router } from '../http/route.ts';
import { pauseSchema, renderPause } from './pauses.ts';
import { component } from '../http/component.ts';

const usualMinutes = 10;

const time = z.string().openapi({ format: 'date-time' });
const kindSchema = component('KindHealth', {
  kind: z.string().openapi({ example: 'instruction' }),
  state: z.enum(['well', 'failing', 'down']).openapi({
    description:
      'down: the last three attempts failed, or all of them; failing: some did, or something was given up',
  }),
  attempts: z.int(),
  taken: z.int().openapi({
    description: 'Attempts that were answered 2xx, with a message that counts where one is due',
  }),
  failing: z.int().openapi({ description: 'Payments and resolutions with an attempt that failed' }),
  failedSince: z.int().openapi({ description: 'Attempts that failed since the last one that was taken' }),
  lastTakenAt: time.nullable().openapi({ description: 'Within these minutes' }),
  p95Ms: z.int().nullable().openapi({ description: '95 of 100 attempts ended within so many milliseconds' }),
  failures: z.record(z.string(), z.int()).openapi({
    description:
      'How often each failure came: `refused`, `timeout`, `http-503`, `not-counted` (2xx, and what was asked is not answered), ...',
  }),
  open: z.int().openapi({ description: 'Not received yet, whenever they were asked for' }),
  dead: z.int().openapi({ description: 'Given up, whenever that was (CBK-1)' }),
  oldestDueAt: time.nullable(),
});
const signaturesSchema = component(
  'SignaturesRefused',
  {
    today: z.int().openapi({ description: 'Number of them today (UTC)' }),
    lastAt: time.nullable().openapi({ description: 'When the last one was refused; null: none in 62 days' }),
    lastWhy: z.string().nullable().openapi({ description: 'Why the last one was refused' }),
  },
  'Messages that came in its name and were refused for their signature',
);
const partySchema = component('PartyHealth', {
  party: z.string(),
  kinds: z
    .array(kindSchema)
    .openapi({ description: 'Empty: nothing was sent in this period, and nothing is owed' }),
  waiting: z.int().openapi({ description: 'Payments to it without a final status' }),
  oldestWaitingSince: time.nullable(),
  refused: z.int().openapi({ description: 'Answers and reports of it that did not count (PAY-8, RES-4)' }),
  refusedOf: z
    .array(
      z.strictObject({
        subjectId: z.string().openapi({ format: 'uuid', description: 'UETR, or id of the resolution' }),
        about: z.enum(['payment', 'resolution']),
        messages: z.int(),
      }),
    )
    .openapi({
      description: 'What they were about, the newest first, up to 10; the record of a payment says why',
    }),
  signaturesRefused: signaturesSchema,
});
const receiverSchema = component(
  'ReceiverHealth',
  {
    receiver: z
      .string()
      .openapi({ description: 'An address as registered, or a party and an address (CBK-3)' }),
    parties: z.array(z.string()).openapi({ description: 'Whose it is' }),
    open: z
      .int()
      .openapi({ description: 'Workers whose breaker is open: they send nothing to it for now (CBK-3)' }),
    probing: z.int().openapi({ description: 'Number of workers that are probing it with one send' }),
    closed: z.int(),
    failuresInARow: z.int(),
    sendsUnderWay: z.int(),
  },
  'Only receivers that are in use, or failing, at this moment',
);

export const partiesSchema = component('Parties', {
  minutes: z.int(),
  ...engineSchema,
  ...workersSchema,
  codeSets: codeSetsSchema,
  paused: z.array(pauseSchema).openapi({ description: 'LIF-5' }),
  parties: z.array(partySchema),
  receivers: z.array(receiverSchema),
});

export function partyRoutes(router: Router, deps: ApiDependencies): void {
  router.add(
    {
      method: 'get',
      path: '/parties',
      operationId: 'listParties',
      summary: 'The health of the parties, by our sends to them',
      tag: 'Operations',
      description: 'Operators see all; a payment system or FX provider sees itself.',
      roles: ['operator', 'ipso', 'fxp'],
      query: z.object({
        minutes: minutesBack(usualMinutes, 'How far back attempts are counted'),
      }),
      answer: {
        description:
          'Every payment system and FX provider that is set up, and whoever else anything was sent to, or is owed to',
        schema: partiesSchema,
      },
    },
    async ({ query, caller }) => {
      const minutes = Number(query.minutes ?? usualMinutes);
      const data = deps.reference.current();
      const [engineAnswers, workers, pauses, parties, receivers] = await Promise.all([
        doesEngineAnswer(deps.readiness?.['temporal']),
        readWorkers(deps.db),
        listPauses(deps.db),
        readPartyHealth(deps.db, minutes, setUpIn(data)),
        readReceivers(deps.db),
      ]);
      const isTheirs = theirs(caller, data);
      return json({
        minutes,
        engineAnswers,
        ...workers,
        codeSets: renderCodeSets(),
        paused: pauses.filter(({ partyId }) => isTheirs(partyId)).map((one) => renderPause(data, one)),
        parties: parties.filter(({ party }) => isTheirs(party)).map(renderParty),
        receivers: receivers
          .map((one) => ({ ...one, parties: partiesOf(data, one.receiver) }))
          .filter((one) => one.parties.some(isTheirs))
          .map((one) => ({ ...one, parties: one.parties.filter(isTheirs) })),
      });
    },
  );
}

/** The names of all payment systems and FX providers. */
const setUpIn = (data: ReferenceData): readonly string[] => [
  ...data.clearingSystems.keys(),
  ...[...data.institutions.values()]
    .filter(({ roles, hasEnded }) => roles.includes('fxp') && !hasEnded)
    .map(({ institutionId }) => fxpNameOf(data, institutionId)),
];

/** Returns a function that says whether the caller may see a party, by the party's id or name. */
function theirs(
  { role, clearingSystemId, institutionId }: Caller,
  data: ReferenceData,
): (party: string) => boolean {
  const id = clearingSystemId ?? institutionId;
  if (role === 'operator' || role === 'all' || id === undefined) return () => true;
  const name = fxpNameOf(data, id);
  return (party) => party === id || party === name;
}

const renderParty = ({ kinds, refusedOf, signaturesRefused, ...party }: PartyHealth): JsonObject => ({
  ...party,
  kinds: kinds.map((kind) => ({ ...kind, state: stateOf(kind) })),
  refusedOf: refusedOf.map((one) => ({ ...one })),
  signaturesRefused: { ...signaturesRefused },
});
