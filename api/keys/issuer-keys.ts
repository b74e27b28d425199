// The routes and the schedule that rotate the keys of the built-in issuer. A token stays valid after its key
// is rotated, unless the key is withdrawn.
import { z } from '@hono/zod-openapi';
import type { Logger } from 'pino';
import { listIssuerKeys } from '../../db/keys/issuer.ts';
import { repeat } from '../../db/pool/repeat.ts';
import type { BuiltinIssuer } from '../auth/issuer.ts';
import type { RouteModule } from '../dependencies.ts';
import { json } from '../http/response.ts';
import { keySchema, renderKey, rotationBody } from './key-schemas.ts';

/** Use these routes only with the built-in issuer. */
export function issuerKeyRoutes(issuer: Pick<BuiltinIssuer, 'rotate'>): RouteModule {
  return (router, { db }) => {
    const shown = async () => json((await listIssuerKeys(db)).map(renderKey));
    router.add(
      {
        method: 'get',
        path: '/admin/issuer-keys',
        operationId: 'listIssuerKeys',
        summary:
          'The keys of the built-in issuer, newest first: when each key signs, who made it, and why (SEC-1)',
        tag: 'Scheme',
        roles: ['operator'],
        answer: { description: 'Keys', schema: z.array(keySchema) },
      },
      shown,
    );
    router.add(
      {
        method: 'post',
        path: '/admin/issuer-keys',
        operationId: 'rotateIssuerKey',
        summary: 'Rotate the key that signs tokens',
        description:
          'Every api signs with the new key within a second (SEC-8). Tokens that the previous key has signed stay ' +
          'valid until they expire. With `withdraw` they become invalid at once, your own included: everybody must log ' +
          'in again.',
        tag: 'Scheme',
        roles: ['operator'],
        body: rotationBody,
        answer: { description: 'Keys, newest first', schema: z.array(keySchema) },
      },
      async ({ body: { because, withdraw = false }, caller: { clientId: by } }) => {
        await issuer.rotate({ by, because, withdraw });
        return shown();
      },
    );
  };
}

const hourMs = 3_600_000;

/** @returns a function that stops the schedule */
export function startIssuerKeys(
  issuer: Pick<BuiltinIssuer, 'rotate'>,
  { afterDays, logger }: { readonly afterDays: number; readonly logger: Logger },
): () => Promise<void> {
  return repeat(async () => {
    try {
      await issuer.rotate({
        by: 'isthmus',
        because: 'on schedule',
        withdraw: false,
        ifOlderThanDays: afterDays,
      });
    } catch (error) {
      logger.warn(
        { err: error },
        'a key of the issuer that is due could not be made; trying again in an hour',
      );
    }
    return hourMs;
  });
}
