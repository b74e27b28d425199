// What keeps messages from going out, for operators (OBS-7): no engine, no worker, a breaker or a full gate (CBK-3), the last two as the
// workers said of themselves. Beside an enquiry, a redelivery and the record of a payment.
import { z } from '@hono/zod-openapi';
import type { JsonObject } from '../core/money.ts';
import { hasUsableAddress, receiverOf, type Addressed } from '../core/receiver.ts';
import { readHeldUp, readWorkers } from '../db/party-health.ts';
import type { ApiDependencies, ReadinessCheck } from './dependencies.ts';
import { answersInTime } from './readiness.ts';

/** Of `GET /parties` too. */
export const engineSchema = {
  engineAnswers: z.boolean().openapi({
    description: 'Whether Temporal answers; while it does not, nothing is judged and nothing goes out',
  }),
} as const;

/** Of `GET /parties` too. */
export const workersSchema = {
  workers: z.int().openapi({
    description: 'That have said within 30 s that they run; nothing is sent or judged without one',
  }),
  workerHeardSecondsAgo: z.int().nullable().openapi({
    description: 'When one of them last said so: each does every 5 s; null: none has within 30 s',
  }),
} as const;

export const hindrancesSchema = z
  .object({
    ...engineSchema,
    ...workersSchema,
    heldUp: z
      .array(
        z
          .object({
            kind: z.string().openapi({ example: 'callback' }),
            party: z.string(),
            breakersOpen: z.int().openapi({
              description: 'Workers that send nothing to its receiver for now but probes (CBK-3)',
            }),
            gatesFull: z.int().openapi({
              description: 'Workers in which every place to its receiver was taken when they last said so',
            }),
          })
          .strict(),
      )
      .openapi({ description: 'Which of the messages have to wait for their receiver' }),
    noUsableAddress: z.array(z.object({ kind: z.string(), party: z.string() }).strict()).openapi({
      description:
        'Which of the messages can go nowhere: no address is registered for them, or none that may be used (CBK-5, SEC-2). ' +
        'Attempts fail with `no-usable-address` until one is.',
    }),
  })
  .strict()
  .openapi('Hindrances', { description: 'As the workers last said, at most 30 s ago' });

/** Asked at this moment; what the workers say of themselves may be half a minute old. */
export async function doesEngineAnswer(check: ReadinessCheck | undefined): Promise<boolean> {
  return check === undefined || answersInTime(check);
}

/** What holds up these, which are to go out. */
export async function hindrancesOf(
  { db, reference, config, readiness }: Pick<ApiDependencies, 'db' | 'reference' | 'config' | 'readiness'>,
  deliveries: readonly Addressed[],
): Promise<JsonObject> {
  const data = reference.current();
  const policy = { allowLoopbackHttp: config.allowLoopbackCallbacks };
  const nowhere = deliveries.filter((one) => !hasUsableAddress(data, one, policy));
  const named = deliveries.flatMap((one) => {
    const receiver = receiverOf(data, one);
    return receiver === undefined ? [] : [{ kind: one.kind, party: one.party, receiver }];
  });
  const receivers = named.map((one) => one.receiver);
  const [engineAnswers, workers, states] = await Promise.all([
    doesEngineAnswer(readiness?.['temporal']),
    readWorkers(db),
    readHeldUp(db, receivers),
  ]);
  return {
    engineAnswers,
    ...workers,
    heldUp: named.flatMap(({ receiver, ...delivery }) =>
      states
        .filter((one) => one.receiver === receiver)
        .map(({ breakersOpen, gatesFull }) => ({ ...delivery, breakersOpen, gatesFull })),
    ),
    noUsableAddress: nowhere.map(({ kind, party }) => ({ kind, party })),
  };
}
