// Schemas for operators who list and rotate signing keys: those for outgoing messages, and those of the
// built-in issuer.
import { z } from '@hono/zod-openapi';
import type { JsonObject } from '../../core/money/money.ts';
import type { ListedDeliveryKey } from '../../db/keys/delivery-keys.ts';
import type { ListedIssuerKey } from '../../db/keys/issuer.ts';
import { words } from '../operations/words.ts';
import { component } from '../http/component.ts';

export const keySchema = component('SigningKey', {
  keyId: z.string().openapi({ description: 'kid of its key set: its thumbprint (RFC 7638)' }),
  state: z.enum(['signs', 'followed', 'ended', 'withdrawn', 'not-ours', 'unreadable']).openapi({
    description:
      'signs: until another follows; followed: it signs beside the one that follows it, or, of the issuer, tokens that it has signed count; ended: after that; withdrawn: nobody should trust it any longer; not-ours: it does not count, because nobody made it who has SEALING_KEYS (SEC-6); unreadable: it does not count in the api that answers, which lacks the one of SEALING_KEYS that was used, or somebody has changed it',
  }),
  signsFrom: z.string().openapi({ format: 'date-time' }),
  signsUntil: z.string().nullable().openapi({ format: 'date-time' }),
  withdrawnAt: z.string().nullable().openapi({ format: 'date-time' }),
  madeBy: z.string().openapi({ description: 'Client id of an operator; isthmus: on schedule' }),
  because: z.string(),
});

export const rotationBody = z.strictObject({
  because: words,
  withdraw: z.boolean().optional().openapi({
    description:
      'true: those that sign end at once and are published no longer, because somebody else may have them',
  }),
});

type ListedKey = Omit<ListedDeliveryKey, 'publicKey'> & Partial<ListedIssuerKey>;

export function renderKey(key: ListedKey): JsonObject {
  const { keyId, signsFrom, signsUntil, withdrawnAt, madeBy, because } = key;
  return { keyId, state: stateOf(key), signsFrom, signsUntil, withdrawnAt, madeBy, because };
}

function stateOf({ signsUntil, withdrawnAt, countsUntil = signsUntil, strange }: ListedKey): string {
  if (withdrawnAt !== null) return 'withdrawn';
  if (countsUntil !== null && countsUntil.getTime() <= Date.now()) return 'ended';
  if (strange !== undefined) return strange;
  return countsUntil === null ? 'signs' : 'followed';
}
