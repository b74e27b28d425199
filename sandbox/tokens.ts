/**
 * Fetches a party's access tokens for the gateway by OAuth 2.0 client credentials. Each token is cached until
 * shortly before it expires.
 */
import { request } from 'undici';

export interface TokenSource {
  /** Returns a bearer token with role ipso for the clearing system. */
  tokenFor(clearingSystemId: string): Promise<string>;
  /** Discards a refused token, so that the next call fetches a new one. */
  forget(clearingSystemId: string): void;
}

export interface ClientCredentialsOptions {
  /**
   * Address of the token endpoint. It may be a function, for callers that learn the address only after the
   * gateway has started.
   */
  readonly tokenUrl: string | (() => string);
  /**
   * Returns the client credentials of a clearing system. By default, the client id is the id of the clearing
   * system, and the secret is `demo-` plus that id, as in the seed data.
   */
  readonly credentials?: (clearingSystemId: string) => { clientId: string; clientSecret: string };
}

interface Grant {
  readonly token: Promise<string>;
  expiresAt: number;
}

const renewBeforeMs = 30_000; // time before expiry, so that no token expires in transit
const timeoutMs = 5_000;

const demoCredentials = (clearingSystemId: string) => ({
  clientId: clearingSystemId,
  clientSecret: `demo-${clearingSystemId}`,
});

export function clientCredentials(options: ClientCredentialsOptions): TokenSource {
  const { tokenUrl, credentials = demoCredentials } = options;
  const grants = new Map<string, Grant>();

  async function fetchToken(clearingSystemId: string, granted: (expiresAt: number) => void): Promise<string> {
    const { clientId, clientSecret } = credentials(clearingSystemId);
    const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`);
    const { statusCode, body } = await request(typeof tokenUrl === 'string' ? tokenUrl : tokenUrl(), {
      method: 'POST',
      headers: {
        authorization: `Basic ${basic.toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`the token endpoint answered HTTP ${statusCode}`);
    const answer = JSON.parse(text) as { access_token?: unknown; expires_in?: unknown };
    if (typeof answer.access_token !== 'string') throw new Error('the token endpoint gave no access_token');
    const seconds = typeof answer.expires_in === 'number' ? answer.expires_in : 0;
    granted(Date.now() + seconds * 1_000 - renewBeforeMs);
    return answer.access_token;
  }

  return {
    tokenFor(clearingSystemId) {
      const known = grants.get(clearingSystemId);
      if (known !== undefined && known.expiresAt > Date.now()) return known.token;
      const grant: Grant = {
        token: fetchToken(clearingSystemId, (expiresAt) => {
          grant.expiresAt = expiresAt;
        }),
        expiresAt: Date.now() + timeoutMs, // concurrent callers share this fetch
      };
      grants.set(clearingSystemId, grant);
      grant.token.catch(() => grants.get(clearingSystemId) === grant && grants.delete(clearingSystemId));
      return grant.token;
    },
    forget: (clearingSystemId) => void grants.delete(clearingSystemId),
  };
}
