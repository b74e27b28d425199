// Where the senders' tokens come from: whichever api answers, as often as it takes. The token endpoint is asked outside
// the evidence, for its answers are secrets.
import { clientCredentials } from '../../sandbox/tokens.ts';

export interface LoadTokens {
  /** Asks again until there is one. @throws {@link NoToken} when the patience is over */
  tokenFor(client: string): Promise<string>;
  /** It was refused: the next request asks for another. */
  forget(client: string): void;
}

/** No api gave a token while a sender was patient: the sender gives up. */
export class NoToken extends Error {
  override readonly name = 'NoToken';
}

const betweenMs = 500;

export function openTokens(options: {
  readonly urls: readonly string[];
  readonly patienceMs: number;
  readonly now: () => number;
}): LoadTokens {
  const { urls, patienceMs, now } = options;
  let turn = 0;
  const source = clientCredentials({
    tokenUrl: () => `${urls[(turn += 1) % urls.length] ?? ''}/oauth/token`,
  });
  return {
    async tokenFor(client) {
      for (const until = now() + patienceMs; ;) {
        try {
          return await source.tokenFor(client);
        } catch (error) {
          if (now() > until) throw new NoToken(`no token for ${client}`, { cause: error });
        }
        await new Promise((resolve) => setTimeout(resolve, betweenMs));
      }
    },
    forget: (client) => source.forget(client),
  };
}
