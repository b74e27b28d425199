// Tells operators what prevents messages from going out: an unreachable Temporal, no worker, an open circuit
// breaker, or too many sends under way. The state of breakers and limits is the workers' last report. The
// answers to an enquiry, to a redelivery and to GET /payments/{uetr} include it.
import { z } from '@hono/zod-openapi';
import type { JsonObject } from '../../core/money/money.ts';
import { hasUsableAddress, receiverOf, type Addressed } from '../../core/deliveries/receiver.ts';
import { readHeldUp, readWorkers } from '../../db/deliveries/party-health.ts';
import type { ApiDependencies, ReadinessCheck } from '../dependencies.ts';
import { answersInTime } from './readiness.ts';

/** Also part of the answer of `GET /parties`. */
export const engineSchema = {
  engineAnswers: z.boolean().openapi({
    description: 'Whether Temporal answers; while it does not, nothing is judged and nothing goes out',
  }),
} as const;

/** Also part of the answer of `GET /parties`. */
export const workersSchema = {
  workers: z.int().openapi({
    description: 'Number of workers that reported within 30 s; without a worker, nothing is sent or judged',
  }),
  workerHeardSecondsAgo: z.int().nullable().openapi({
    description:
      'Seconds since the last report of a worker; each reports every 5 s. Null: none has within 30 s',
  }),
} as const;

/** @param named the members that identify one message or a group of messages */
const schemaOf = <Named extends z.ZodRawShape>(named: Named) =>
  z.strictObject({
    ...engineSchema,
    ...workersSchema,
    heldUp: z
      .array(
        z.strictObject({
          ...named,
          breakersOpen: z.int().openapi({
            description: 'Number of workers that send only probes to its receiver for now (CBK-3)',
          }),
          gatesFull: z.int().openapi({
            description:
              'Number of workers in which every place at its receiver was taken at their last report',
          }),
        }),
      )
      .openapi({ description: 'Which of the messages have to wait for their receiver' }),
    noUsableAddress: z.array(z.strictObject(named)).openapi({
      description:
        'Messages without a usable address: none is registered, or it may not be used (CBK-5, SEC-2). Attempts fail ' +
        'with `no-usable-address` until one is registered.',
    }),
  });

const asTheySaid = { description: 'As last reported by the workers, at most 30 s ago' };
const oneNamed = { kind: z.string().openapi({ example: 'callback' }), party: z.string() } as const;

export const hindrancesSchema = schemaOf(oneNamed).openapi('Hindrances', asTheySaid);
export const hindrancesOfManySchema = schemaOf({
  ...oneNamed,
  number: z.int().openapi({ description: 'How many of them' }),
}).openapi('HindrancesOfMany', asTheySaid);

/** Checks Temporal now, because the reports of the workers may be half a minute old. */
export async function doesEngineAnswer(check: ReadinessCheck | undefined): Promise<boolean> {
  return check === undefined || answersInTime(check);
}

/** Returns the obstacles to these deliveries. */
export function hindrancesOf(deps: Asking, deliveries: readonly Addressed[]): Promise<JsonObject> {
  return named(deps, deliveries, ({ kind, party }) => ({ kind, party }));
}

/** Returns the obstacles to many deliveries, each with the number of deliveries that it holds up. */
export function hindrancesOfMany(deps: Asking, deliveries: readonly Addressed[]): Promise<JsonObject> {
  const data = deps.reference.current();
  const policy = policyOf(deps);
  const alike = new Map<string, Addressed & { readonly number: number }>();
  for (const { kind, party, url } of deliveries) {
    const one = { kind, party, url };
    const goes = hasUsableAddress(data, one, policy);
    const key = [kind, party, receiverOf(data, one) ?? '', goes].join(' ');
    alike.set(key, { ...one, number: (alike.get(key)?.number ?? 0) + 1 });
  }
  return named(deps, [...alike.values()], ({ kind, party, number }) => ({ kind, party, number }));
}

type Asking = Pick<ApiDependencies, 'db' | 'reference' | 'config' | 'readiness'>;

const policyOf = ({ config }: Asking) => ({ allowLoopbackHttp: config.allowLoopbackCallbacks });

async function named<One extends Addressed>(
  deps: Asking,
  deliveries: readonly One[],
  name: (one: One) => JsonObject,
): Promise<JsonObject> {
  const { db, reference, readiness } = deps;
  const data = reference.current();
  const policy = policyOf(deps);
  const nowhere = deliveries.filter((one) => !hasUsableAddress(data, one, policy));
  const behind = deliveries.flatMap((one) => {
    const receiver = receiverOf(data, one);
    return receiver === undefined ? [] : [{ one, receiver }];
  });
  const [engineAnswers, workers, states] = await Promise.all([
    doesEngineAnswer(readiness?.['temporal']),
    readWorkers(db),
    readHeldUp(db, [...new Set(behind.map(({ receiver }) => receiver))]),
  ]);
  return {
    engineAnswers,
    ...workers,
    heldUp: behind.flatMap(({ one, receiver }) =>
      states
        .filter((state) => state.receiver === receiver)
        .map(({ breakersOpen, gatesFull }) => ({ ...name(one), breakersOpen, gatesFull })),
    ),
    noUsableAddress: nowhere.map(name),
  };
}
