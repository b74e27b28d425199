// Gets the senders' tokens from any api that answers, with retries. These requests are not recorded as evidence,
// because the answers are secrets.
import { clientCredentials } from '../../sandbox/tokens.ts';

export interface LoadTokens {
  /** Retries until it has a token. @throws {@link NoToken} when the patience is over */
  tokenFor(client: string): Promise<string>;
  /** The token was refused, so the next request fetches a new one. */
  forget(client: string): void;
}

/** No api issued a token within the sender's patience, so the sender gives up. */
export class NoToken extends Error {
  override readonly name = 'NoToken';
}

const betweenMs = 500;

export function openTokens(options: {
  readonly urls: readonly string[];
  readonly patienceMs: number;
}): LoadTokens {
  const { urls, patienceMs } = options;
  let turn = 0;
  const source = clientCredentials({
    tokenUrl: () => `${urls[(turn += 1) % urls.length] ?? ''}/oauth/token`,
  });
  return {
    async tokenFor(client) {
      for (const until = Date.now() + patienceMs; ;) {
        try {
          return await source.tokenFor(client);
        } catch (error) {
          if (Date.now() > until) throw new NoToken(`no token for ${client}`, { cause: error });
        }
        await new Promise((resolve) => setTimeout(resolve, betweenMs));
      }
    },
    forget: (client) => source.forget(client),
  };
}
