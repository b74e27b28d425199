// Tokens that are bound to a client certificate (RFC 8705, SEC-1). TLS ends in the api or at a trusted proxy; the
// api believes no other proxy.
import { createHash, X509Certificate } from 'node:crypto';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { decodeJwt } from 'jose';
import { Agent, request } from 'undici';
import { afterAll, describe, expect, it } from 'vitest';
import { authority } from '../../harness/certificates.ts';
import { testDatabase } from '../../harness/database.ts';
import { exchange } from '../http/raw-http.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
const ours = await authority('ours');
const strange = await authority('a stranger');
const server = await ours.issue('127.0.0.1', 'server');
const [lotus, meri, other] = [
  await ours.issue('lotus', 'client'),
  await ours.issue('meri', 'client'),
  await strange.issue('lotus', 'client'),
];

const agents: Agent[] = [];
const apis: RunningApi[] = [];
afterAll(async () => {
  await Promise.all(agents.map((agent) => agent.close()));
  await Promise.all(apis.map((api) => api.close()));
});

function agentWith(own?: { readonly cert: string; readonly key: string }): Agent {
  const agent = new Agent({ connect: { ca: ours.ca, ...own } });
  agents.push(agent);
  return agent;
}

const plain = agentWith();
const [byLotus, byMeri, byOther] = [agentWith(lotus), agentWith(meri), agentWith(other)];

const thumbprint = (pem: string) =>
  createHash('sha256').update(new X509Certificate(pem).raw).digest('base64url');

type Headers = Readonly<Record<string, string>>;

async function login(url: string, dispatcher: Agent | undefined, headers: Headers = {}) {
  const { statusCode, body } = await request(`${url}/oauth/token`, {
    method: 'POST',
    ...(dispatcher && { dispatcher }),
    headers: {
      authorization: `Basic ${Buffer.from('LOTUSGS0:demo-LOTUSGS0').toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    body: 'grant_type=client_credentials',
  });
  expect(statusCode).toBe(200);
  return ((await body.json()) as { access_token: string }).access_token;
}

async function tryLogin(url: string, dispatcher: Agent | undefined, headers: Headers = {}): Promise<number> {
  const { statusCode, body } = await request(`${url}/oauth/token`, {
    method: 'POST',
    ...(dispatcher && { dispatcher }),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: 'grant_type=client_credentials&client_id=LOTUSGS0&client_secret=demo-LOTUSGS0',
  });
  await body.dump();
  return statusCode;
}

async function use(url: string, token: string, dispatcher: Agent | undefined, headers: Headers = {}) {
  const { statusCode, body } = await request(`${url}/countries`, {
    ...(dispatcher && { dispatcher }),
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
  await body.dump();
  return statusCode;
}

const boundTo = (token: string) =>
  (decodeJwt(token)['cnf'] as Record<string, string> | undefined)?.['x5t#S256'];

describe('TLS that ends in the api', async () => {
  const api = await startApi(database.url, { dispatcher: plain, config: { tls: server } });
  apis.push(api);

  it('a token that is asked for with a certificate is good with that one alone', async () => {
    const token = await login(api.url, byLotus);
    expect(boundTo(token)).toBe(thumbprint(lotus.cert));
    for (let nth = 1; nth <= 2; nth += 1) {
      expect(await use(api.url, token, byLotus)).toBe(200);
      expect(await use(api.url, token, byMeri)).toBe(401); // also once it is remembered
      expect(await use(api.url, token, plain)).toBe(401);
    }
  });

  it('one that is asked for without is good with any', async () => {
    const token = await login(api.url, plain);
    expect(boundTo(token)).toBeUndefined();
    for (const agent of [plain, byLotus, byOther]) expect(await use(api.url, token, agent)).toBe(200);
  });

  it('without authorities each certificate counts as the key that it is of (RFC 8705, 2.2)', async () => {
    const token = await login(api.url, byOther);
    expect(await use(api.url, token, byOther)).toBe(200);
    expect(await use(api.url, token, byLotus)).toBe(401);
  });

  it('no session goes on, whose certificate may have ended meanwhile', async () => {
    const port = Number(new URL(api.url).port);
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      const connectAs = (more: object) =>
        new Promise<TLSSocket>((resolve, reject) => {
          const to = { port, host: '127.0.0.1', ca: ours.ca, maxVersion, ...more };
          const socket = connectTls(to, () => resolve(socket)).once('error', reject);
        });
      const first = await connectAs(lotus);
      let session: Buffer | undefined;
      first.on('session', (ticket) => (session = ticket));
      first.write('GET /health/live HTTP/1.1\r\nHost: isthmus.test\r\nConnection: close\r\n\r\n');
      await new Promise((resolve) => first.once('close', resolve).resume());
      const again = await connectAs({ session: session ?? first.getSession() });
      expect(again.isSessionReused()).toBe(false);
      again.destroy();
    }
  });

  it('a header says nothing here', async () => {
    const token = await login(api.url, byLotus);
    const claimed = { 'client-cert': `:${new X509Certificate(lotus.cert).raw.toString('base64')}:` };
    expect(await use(api.url, token, plain, claimed)).toBe(401);
  });
});

describe('TLS that ends in the api, with authorities for certificates of clients', async () => {
  const api = await startApi(database.url, {
    dispatcher: plain,
    config: { tls: { ...server, clientCa: ours.ca } },
  });
  apis.push(api);

  it('a certificate of another authority does not count', async () => {
    expect(await tryLogin(api.url, byOther)).toBe(400); // and not a token that is bound to nothing
    const token = await login(api.url, byLotus);
    expect(boundTo(token)).toBe(thumbprint(lotus.cert));
    expect(await use(api.url, token, byLotus)).toBe(200);
    expect(await use(api.url, token, byOther)).toBe(401);
  });

  it('a certificate that has ended counts no more, also on a connection that was there before (SEC-1)', async () => {
    let aheadMs = 0;
    const late = await startApi(database.url, {
      dispatcher: plain,
      clock: () => Date.now() + aheadMs,
      config: { tls: { ...server, clientCa: ours.ca } },
    });
    apis.push(late);
    const minuteMs = 60_000;
    const agent = agentWith(await ours.issue('lotus', 'client', 30 * minuteMs));
    const token = await login(late.url, agent);
    aheadMs = 20 * minuteMs;
    expect([await use(late.url, token, agent), await tryLogin(late.url, agent)]).toEqual([200, 200]);
    aheadMs = 31 * minuteMs; // the token has half an hour left
    expect([await use(late.url, token, agent), await tryLogin(late.url, agent)]).toEqual([401, 400]);
    expect(await use(late.url, await login(late.url, plain), plain)).toBe(200);
    aheadMs = -2 * minuteMs; // not valid yet
    expect(await tryLogin(late.url, agent)).toBe(400);
  });
});

describe('behind a proxy that ends TLS', async () => {
  const header = 'client-cert';
  const trusted = await startApi(database.url, {
    config: { trustedProxies: ['127.0.0.1'], clientCertificateHeader: header },
  });
  const untrusted = await startApi(database.url, {
    config: { trustedProxies: ['10.0.0.0/8'], clientCertificateHeader: header },
  });
  apis.push(trusted, untrusted);
  const der = (pem: string) => new X509Certificate(pem).raw.toString('base64');

  it.each([
    ['as RFC 9440 says', (pem: string) => `:${der(pem)}:`],
    ['as nginx does', (pem: string) => encodeURIComponent(pem)],
  ])('it says which certificate its client presented: %s', async (_how, written) => {
    const token = await login(trusted.url, undefined, { [header]: written(lotus.cert) });
    expect(boundTo(token)).toBe(thumbprint(lotus.cert));
    expect(await use(trusted.url, token, undefined, { [header]: written(lotus.cert) })).toBe(200);
    expect(await use(trusted.url, token, undefined, { [header]: written(meri.cert) })).toBe(401);
    expect(await use(trusted.url, token, undefined)).toBe(401);
  });

  it.each([
    ['no certificate', ':AAAA:'],
    ['nothing', ''],
    ['two', `:${der(lotus.cert)}:, :${der(meri.cert)}:`],
  ])('what is none counts as none: %s', async (_what, value) => {
    const token = await login(trusted.url, undefined, { [header]: `:${der(lotus.cert)}:` });
    expect(await use(trusted.url, token, undefined, { [header]: value })).toBe(401);
    const isNone = value === '';
    expect(await tryLogin(trusted.url, undefined, { [header]: value })).toBe(isNone ? 200 : 400);
  });

  it('a header that comes twice says nothing, whoever wrote which', async () => {
    const written = (pem: string) => encodeURIComponent(`${pem.trim()}\n`);
    const token = await login(trusted.url, undefined, { [header]: written(lotus.cert) });
    expect(await use(trusted.url, token, undefined, { [header]: written(lotus.cert) })).toBe(200);
    const twice = [
      'GET /countries HTTP/1.1',
      'Host: isthmus.test',
      'Connection: close',
      `Authorization: Bearer ${token}`,
      `Client-Cert: ${written(lotus.cert)}`, // the client's, which a proxy has not taken away
      `Client-Cert: ${written(meri.cert)}`,
    ];
    const [answer] = await exchange(trusted.url, `${twice.join('\r\n')}\r\n\r\n`);
    expect(answer?.status).toBe(401);
  });

  it('whoever is no proxy of ours is not believed', async () => {
    const token = await login(trusted.url, undefined, { [header]: `:${der(lotus.cert)}:` });
    expect(await use(untrusted.url, token, undefined, { [header]: `:${der(lotus.cert)}:` })).toBe(401);
    expect(
      boundTo(await login(untrusted.url, undefined, { [header]: `:${der(lotus.cert)}:` })),
    ).toBeUndefined();
  });
});
