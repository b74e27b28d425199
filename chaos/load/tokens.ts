// Gets the senders' tokens from any api that answers, with retries. The evidence contains no token requests,
// because their answers are secrets.
import { clientCredentials } from '../../sandbox/tokens.ts';

export interface LoadTokens {
  /**
   * Returns a token, and retries until it has one.
   * @throws {@link NoToken} when the patience is over
   */
  tokenFor(client: string): Promise<string>;
  /** Discards a token that an api refused, so that the next request fetches a new one. */
  forget(client: string): void;
}

/** Thrown if no api issued a token within the sender's patience. */
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
