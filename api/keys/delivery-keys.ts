// The keys that sign the messages of this service. Receivers read the public keys, and operators rotate the
// keys. Workers rotate them on schedule (activities/wire/signer.ts).
import { z } from '@hono/zod-openapi';
import type { JsonObject } from '../../core/money/money.ts';
import { keySetPath } from '../../core/deliveries/webhook-signature.ts';
import {
  listDeliveryKeys,
  overlapDays,
  publishedKeys,
  rotateDeliveryKey,
  unreadableKey,
  type DeliveryKey,
} from '../../db/keys/delivery-keys.ts';
import answerExamples from '../http/answer-examples.json' with { type: 'json' };
import type { ApiDependencies } from '../dependencies.ts';
import { problemsShown } from '../http/openapi.ts';
import { problem } from '../http/problems/problem.ts';
import { json } from '../http/response.ts';
import type { Router } from '../http/route.ts';
import { keySchema, renderKey, rotationBody } from './key-schemas.ts';
import { component } from '../http/component.ts';

/** Maximum seconds for which a receiver with a cached key set still accepts signatures by a withdrawn key. */
const cacheSeconds = 300;

const webhookKeySetSchema = component('WebhookKeySet', {
  keys: z.array(
    z.strictObject({
      kty: z.literal('OKP'),
      crv: z.literal('Ed25519'),
      x: z.string(),
      kid: z.string(),
      use: z.literal('sig'),
      alg: z.literal('EdDSA'),
    }),
  ),
});

export function deliveryKeyRoutes(router: Router, deps: ApiDependencies): void {
  const { db, logger } = deps;
  // keys that were logged; each key is logged once, because anyone may request the set at any rate
  const told = new Set<string>();
  router.addPublic(
    {
      method: 'get',
      path: keySetPath,
      operationId: 'getWebhookKeySet',
      summary: 'The public keys of everything that we send (RFC 7517)',
      description:
        'The current and the previous signing keys (CBK-2). If none of them verifies a message, read the set again, at most ' +
        `every few seconds; otherwise cache it for ${cacheSeconds} s.`,
      tag: 'Service',
      answers: {
        200: {
          description: 'A key set',
          content: {
            'application/json': { schema: webhookKeySetSchema, example: answerExamples.getWebhookKeySet },
          },
        },
        503: { description: 'unavailable', content: problemsShown(['unavailable']) },
      },
    },
    async () => {
      const keys = await publishedKeys(db, (keyId) => {
        if (!told.has(keyId)) logger.error({ keyId }, unreadableKey);
        told.add(keyId);
      });
      // No key exists or is active yet. A receiver that cached an empty key set would refuse the service's
      // messages.
      if (keys.length === 0) return problem('unavailable');
      return json({ keys: keys.map(renderJwk) }, 200, { 'cache-control': `public, max-age=${cacheSeconds}` });
    },
  );
  router.add(
    {
      method: 'get',
      path: '/admin/delivery-keys',
      operationId: 'listDeliveryKeys',
      summary: 'The keys of everything that we send, newest first',
      description: 'Public parts, when each signs, who made it, and why (CBK-2).',
      tag: 'Scheme',
      roles: ['operator'],
      answer: { description: 'Keys', schema: z.array(keySchema) },
    },
    async () => json((await listDeliveryKeys(db)).map(renderKey)),
  );
  router.add(
    {
      method: 'post',
      path: '/admin/delivery-keys',
      operationId: 'rotateDeliveryKey',
      summary: 'Rotate the key that signs messages',
      description:
        `The new key signs within a second (CBK-2). The previous keys sign too for ${overlapDays} days, so that receivers can ` +
        'switch; with `withdraw` they end at once.',
      tag: 'Scheme',
      roles: ['operator'],
      body: rotationBody,
      answer: { description: 'Keys, newest first', schema: z.array(keySchema) },
    },
    async ({ body: { because, withdraw = false }, caller: { clientId: by } }) => {
      const keyId = await rotateDeliveryKey(db, { by, because, withdraw });
      logger.info({ keyId, by }, 'a key of what is sent was made');
      return json((await listDeliveryKeys(db)).map(renderKey));
    },
  );
}

const renderJwk = ({ keyId, publicKey }: DeliveryKey): JsonObject => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x: publicKey,
  kid: keyId,
  use: 'sig',
  alg: 'EdDSA',
});
