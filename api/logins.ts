// Limits failed logins per minute, so that nobody can guess a secret. One limit applies per client and
// address, another per address for all clients together. Failures from one address do not lock a client out
// at another.
import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import type { ApiDependencies } from './dependencies.ts';
import { clientAddress, trusting } from './http/client.ts';
import { problem, type Problem } from './http/problems/problem.ts';
import { createQuotas } from './http/limits/quotas.ts';

export interface Logins {
  /** Starts a login of this client. */
  by(clientId: string, context: Context): Login;
}

interface Login {
  readonly address: string;
  /**
   * Returns the refusal if too many logins have failed. In that case, do not check the secret, whether right
   * or wrong.
   */
  refusal(): Problem | undefined;
  failed(): void;
}

const clientsOfAddress = 10;

export function loginsOf({
  config: { senderLimits, trustedProxies },
  quotas = createQuotas(),
}: Pick<ApiDependencies, 'config' | 'quotas'>): Logins {
  const { failedLoginsPerMinute: limit } = senderLimits;
  const proxies = trusting(trustedProxies);
  return {
    by(clientId, context) {
      const address = clientAddress(context, proxies);
      const counted = [
        { name: nameOf(address, clientId), limit },
        { name: nameOf(address), limit: clientsOfAddress * limit },
      ];
      return {
        address,
        refusal() {
          const over = counted.map((one) => quotas.look(one.name, one.limit)).find(({ isOver }) => isOver);
          if (over === undefined) return undefined;
          const detail =
            'Too many logins of this client, or of all that were named, have failed from this address in this minute. Neither a secret nor an assertion was looked at: try again after the number of seconds in Retry-After.';
          return problem('too-many-requests', {
            detail,
            headers: { 'retry-after': String(over.resetSeconds) },
          });
        },
        failed() {
          if (limit > 0) for (const one of counted) quotas.note(one.name, one.limit);
        },
      };
    },
  };
}

/**
 * Hashes the parts, because strangers choose these texts. They must not be stored, and may have any length.
 */
const nameOf = (...parts: readonly string[]) =>
  `login ${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`;
