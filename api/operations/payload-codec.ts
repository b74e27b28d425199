// The codec endpoint of the Temporal UI and command line. It opens payloads for operators of the scheme that we sealed
// for Temporal. It opens nothing else, and seals nothing.
import { z } from '@hono/zod-openapi';
import type { SealingCodec } from '../../contract/payload-codec.ts';
import { SealingKeyMissing } from '../../db/pool/failures.ts';
import { SealBroken } from '../../db/keys/key-wrapping.ts';
import type { RouteModule } from '../dependencies.ts';
import { problem } from '../http/problem.ts';
import { json } from '../http/response.ts';
import type { Router } from '../http/route.ts';

const base64 = z.base64().max(3_000_000); // base64 of 2 MiB, Temporal's limit
const label = z.base64().max(10_000); // an encoding, a type name or a key id
const payloadSchema = z
  .object({ metadata: z.record(z.string().max(200), label).optional(), data: base64.optional() })
  .openapi('TemporalPayload', { description: 'A payload as in the JSON form of Temporal: bytes in base64' });
const payloadsSchema = z
  .object({
    payloads: z
      .array(payloadSchema)
      .max(1_000)
      .optional()
      .openapi({ description: "Omitted if there are none, as in Temporal's JSON form" }),
  })
  .openapi('TemporalPayloads');

type JsonPayload = z.output<typeof payloadSchema>;

/** @param codec undefined: payloads are not sealed and return unchanged */
export function payloadCodecRoutes(codec: SealingCodec | undefined): RouteModule {
  return (router: Router) => {
    router.add(
      {
        method: 'post',
        path: '/temporal/codec/decode',
        operationId: 'decodePayloads',
        summary: 'Decrypt the payloads that Temporal shows',
        description:
          'The codec endpoint of the Temporal UI is the address before `/decode` (SEC-3). What is not sealed comes back as it is. Only ids, codes and hashes are there.',
        tag: 'Scheme',
        roles: ['operator'],
        body: payloadsSchema,
        maxBodyBytes: 4_194_304, // enough for a page of a history
        answer: { description: 'The same payloads, opened', schema: payloadsSchema },
      },
      async ({ body: { payloads = [] } }) => {
        const sealed = payloads.map(fromJson);
        try {
          const opened = (await codec?.decode(sealed)) ?? sealed;
          return json({ payloads: opened.map(toJson) });
        } catch (error) {
          if (!(error instanceof SealBroken || error instanceof SealingKeyMissing)) throw error;
          return problem('invalid-request', { detail: `A payload does not open: ${error.message}.` });
        }
      },
    );
  };
}

const fromJson = ({ metadata, data }: JsonPayload) => ({
  metadata: Object.fromEntries(
    Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value, 'base64')]),
  ),
  ...(data !== undefined && { data: Buffer.from(data, 'base64') }),
});

const toJson = ({ metadata, data }: { metadata?: unknown; data?: Uint8Array | null }) => ({
  metadata: Object.fromEntries(
    Object.entries((metadata ?? {}) as Record<string, Uint8Array>).map(([name, value]) => [
      name,
      Buffer.from(value).toString('base64'),
    ]),
  ),
  ...(data != null && { data: Buffer.from(data).toString('base64') }),
});
