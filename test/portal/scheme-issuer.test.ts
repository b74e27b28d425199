// Sign-in at an issuer of the scheme: a real OpenID provider, authorization code with PKCE.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { afterAll, expect, test } from 'vitest';
import { testGateway } from '../harness/gateway.ts';
import { quietPort } from '../harness/quiet-port.ts';
import { visitor } from './visitor.ts';

const issuerPort = await quietPort();
const issuer = `http://127.0.0.1:${issuerPort}`;
const audience = 'https://isthmus.test';
const gateway = await testGateway({
  scheme: 'none', // clients of the demo have no place beside an external issuer
  settings: {
    DEMO: '1', // its issuer is on loopback
    AUTH: 'jwt',
    AUTH_ISSUER: issuer,
    AUTH_AUDIENCE: audience,
    AUTH_JWKS_URL: `${issuer}/jwks`,
    PORTAL_CLIENT_ID: 'portal',
    PORTAL_CLIENT_SECRET: 'secret-of-the-portal',
  },
});

/** Whoever comes signs in by the name in the address of the next form. */
const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'portal',
      client_secret: 'secret-of-the-portal',
      redirect_uris: [`${gateway.url}/portal/sign-in/done`],
    },
  ],
  pkce: { required: () => true },
  features: {
    devInteractions: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: () => ({
        scope: '',
        audience,
        accessTokenFormat: 'jwt' as const,
        accessTokenTTL: 600,
        jwt: { sign: { alg: 'RS256' as const } },
      }),
    },
  },
  extraTokenClaims: () => ({ roles: ['operator'] }),
  findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
});
const handle = provider.callback();
const server = createServer((request, response) => void handle(request, response));
await new Promise<void>((resolve) => void server.listen(issuerPort, '127.0.0.1', resolve));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
expect((server.address() as AddressInfo).port).toBe(issuerPort);

/** Follows the issuer's pages as a browser would, and comes back with the code. */
async function signInAs(person: ReturnType<typeof visitor>, name: string): Promise<Response> {
  const cookies = new Map<string, string>();
  const begin = await person.get('/portal/sign-in/begin?to=%2Fportal%2Fpayments');
  let location = begin.headers.get('location') ?? '';
  let method = 'GET';
  let body: URLSearchParams | undefined;
  for (let step = 0; step < 12; step += 1) {
    const url = new URL(location, issuer);
    if (url.origin === gateway.url) return person.get(`${url.pathname}${url.search}`);
    const answer = await fetch(url, {
      method,
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([key, value]) => `${key}=${value}`).join('; ') },
      ...(body && { body }),
    });
    for (const set of answer.headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    if (answer.status >= 300 && answer.status < 400) {
      [location, method, body] = [answer.headers.get('location') ?? '', 'GET', undefined];
      continue;
    }
    const text = await answer.text();
    const action = /<form[^>]+action="([^"]+)"/.exec(text)?.[1];
    if (action === undefined)
      throw new Error(`the issuer shows no form: ${answer.status} ${text.slice(0, 500)}`);
    const prompt = /name="prompt" value="([^"]+)"/.exec(text)?.[1] ?? 'login';
    [location, method, body] = [
      action,
      'POST',
      new URLSearchParams({ prompt, login: name, password: 'any' }),
    ];
  }
  throw new Error('the issuer does not come to an end');
}

test('a person signs in at the issuer, and is that person to the API (SEC-1)', async () => {
  const person = visitor(gateway.url);
  const answer = await signInAs(person, 'ann');
  expect(answer.headers.get('location')).toBe('/portal/payments');
  const page = await (await person.get('/portal')).text();
  expect(page).toContain('ann (Operator of the scheme)');
});

test('two people of the issuer are two operators: one approves what the other proposed (ADM-2)', async () => {
  const [ann, bob] = [visitor(gateway.url), visitor(gateway.url)];
  await signInAs(ann, 'ann');
  await signInAs(bob, 'bob');
  const currency = { currencyCode: 'SEK', currencyId: 752, name: 'Krona', symbol: 'kr', decimalPlaces: 2 };
  const objects = JSON.stringify([{ kind: 'currencies', document: currency }]);
  const back = '/portal/changes';
  await ann.post('/portal/acts/propose', {
    csrf: await ann.csrf(),
    back,
    'f.because': 'left',
    'f.objects': objects,
  });
  const changeId = /\/portal\/changes\/([\w-]+)/.exec(await (await ann.get(back)).text())?.[1] ?? '';
  const approve = { back, 'at.changeId': changeId, 'f.because': 'seen' };
  const own = await ann.post('/portal/acts/approve', { ...approve, csrf: await ann.csrf() });
  expect(own.status).toBeGreaterThanOrEqual(400);
  const other = await bob.post('/portal/acts/approve', { ...approve, csrf: await bob.csrf() });
  expect(other.status).toBe(303);
});

test('an answer of the issuer that this browser did not ask for starts no session', async () => {
  const person = visitor(gateway.url);
  const answer = await person.get('/portal/sign-in/done?code=stolen&state=any');
  expect([303, 502]).toContain(answer.status);
  expect((await person.get('/portal')).status).toBe(303);
});
