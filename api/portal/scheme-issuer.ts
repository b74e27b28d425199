// Sign-in at the issuer of the scheme: OpenID Connect, authorization code with PKCE. The access token that it gives is
// the very one that a program would use, and the API judges it.
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import * as client from 'openid-client';
import type { ApiConfig } from '../../core/settings/config.ts';
import { isLoopback } from '../../core/settings/setting-forms.ts';
import { Refused } from './gateway.ts';
import { redirect } from './paths.ts';
import { cookieOf, type Proof } from './sessions.ts';

interface Begun {
  readonly verifier: string;
  readonly state: string;
  readonly to: string;
}

const cookieSeconds = 600;
const redirectPath = '/portal/sign-in/done';
const usualTokenSeconds = 300; // if the issuer does not say

/** @param begun starts the session */
export function openSchemeIssuer(
  { auth, portal: { clientId, clientSecret }, publicUrl }: ApiConfig,
  begun: (context: Context, proof: Proof, to: string) => Promise<Response>,
) {
  let discovered: Promise<client.Configuration> | undefined;
  function issuer(): Promise<client.Configuration> {
    if (auth.kind !== 'jwt' || clientId === undefined) throw new Refused(404, {});
    const url = new URL(auth.issuer);
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so that it stands out: on loopback alone
    const options = isLoopback(url.hostname) ? { execute: [client.allowInsecureRequests] } : {};
    discovered ??= client
      .discovery(url, clientId, clientSecret, undefined, options)
      .catch((error: unknown) => {
        discovered = undefined;
        throw error;
      });
    return discovered;
  }
  /** RFC 8707: the token is for this service. */
  const resource: Record<string, string> = auth.kind === 'jwt' ? { resource: auth.audience } : {};
  const { name: cookieName, cookie } = cookieOf(publicUrl, 'isthmus-sign-in');
  return {
    async begin(context: Context): Promise<Response> {
      const config = await issuer();
      const verifier = client.randomPKCECodeVerifier();
      const state = client.randomState();
      const to = context.req.query('to') ?? '/portal';
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: `${publicUrl}${redirectPath}`,
        scope: 'openid',
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        ...resource,
      });
      return redirect(
        url.href,
        cookie(JSON.stringify({ verifier, state, to } satisfies Begun), cookieSeconds),
      );
    },
    async complete(context: Context): Promise<Response> {
      const config = await issuer();
      const kept = getCookie(context, cookieName);
      if (kept === undefined) return redirect('/portal/sign-in');
      const { verifier, state, to } = JSON.parse(kept) as Begun;
      const given = new URL(context.req.url);
      const tokens = await client.authorizationCodeGrant(
        config,
        new URL(`${publicUrl}${redirectPath}${given.search}`),
        { pkceCodeVerifier: verifier, expectedState: state },
        resource,
      );
      const seconds = tokens.expires_in ?? usualTokenSeconds;
      const proof = {
        kind: 'token',
        token: tokens.access_token,
        endsAtMs: Date.now() + seconds * 1_000,
      } as const;
      const answer = await begun(context, proof, to);
      answer.headers.append('set-cookie', cookie('', 0));
      return answer;
    },
  };
}
