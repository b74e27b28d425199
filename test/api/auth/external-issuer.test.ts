// An external issuer, AUTH=jwt (ADM-4): which answers it may give, how often the api asks it while it is away, and
// what the api says is wrong with a token (SEC-1, SEC-7).
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const issuer = 'https://issuer.test';
const database = await testDatabase();
let api: RunningApi;
let server: Server;
let privateKey: CryptoKey;
let keySet = '';
let asked = 0;
let answer: (response: ServerResponse) => void;
const log: { readonly msg: string; readonly why?: string }[] = [];
const logger = pino(
  { level: 'info' },
  { write: (line: string) => void log.push(JSON.parse(line) as (typeof log)[number]) },
);
const ofIssuer = () =>
  log.filter(({ msg }) => msg.includes('token issuer')).map(({ msg, why }) => why ?? msg);
const well = (response: ServerResponse) => void response.end(keySet);

beforeAll(async () => {
  const pair = await generateKeyPair('ES256');
  privateKey = pair.privateKey;
  const published = { ...(await exportJWK(pair.publicKey)), kid: 'one' };
  const another = { ...(await exportJWK((await generateKeyPair('ES256')).publicKey)), kid: 'two' };
  keySet = JSON.stringify({ keys: [published, another] });
  server = createServer((_, response) => {
    asked += 1;
    answer(response);
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
  const auth = { kind: 'jwt', issuer, audience: 'isthmus', jwksUrl } as const;
  api = await startApi(database.url, { config: { auth }, logger, clock: () => Date.now() });
  vi.useFakeTimers({ toFake: ['Date'] });
});
beforeEach(async () => {
  answer = well;
  pass(60);
  expect(await statusOf()).toBe(200); // whatever failed before is over
  pass(60); // and nothing that was read counts
  asked = 0;
  log.length = 0;
});
afterAll(async () => {
  vi.useRealTimers();
  await api.close();
  server.close();
});

const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1_000);

interface Changes {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Default: the one that is published as `one`. */
  readonly by?: CryptoKey;
}

let serial = 0;
function sign({ header = {}, claims = {}, by = privateKey }: Changes = {}) {
  const now = Math.floor(Date.now() / 1_000);
  const usual = { iss: issuer, aud: 'isthmus', sub: 'c', client_id: 'c', jti: String((serial += 1)) };
  const roles = { roles: ['psp'], institution_id: 'SG-LOTU' };
  return new SignJWT({ ...usual, ...roles, iat: now, exp: now + 300, ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'one', ...header })
    .sign(by);
}
const use = async (changes?: Changes) =>
  api.get<{ detail: string }>('/countries', null, { authorization: `Bearer ${await sign(changes)}` });
const statusOf = async (changes?: Changes) => (await use(changes)).status;
const stranger = { header: { kid: 'of nobody' } };

describe('what it answers', () => {
  it('is read up to 256 KiB: more is none', async () => {
    let wasWhole: boolean | undefined;
    answer = (response) => {
      response.on('close', () => (wasWhole = response.writableFinished));
      const chunk = Buffer.alloc(65_536, ' ');
      const more = () => {
        while (response.write(chunk));
        response.once('drain', more);
      };
      more(); // without an end
    };
    expect(await statusOf()).toBe(503);
    await expect.poll(() => wasWhole).toBe(false);
    expect(ofIssuer()).toEqual(['its answer is larger than 256 KiB']);
  });

  it.each<[string, (response: ServerResponse) => void, RegExp]>([
    ['an error', (response) => void response.writeHead(500).end(keySet), /^it answered 500, and not 200$/],
    [
      'no JSON',
      (response) => void response.end('<html>Mrs Tan</html>'),
      /^its answer is no key set \(RFC 7517\)$/,
    ],
    ['nothing', (response) => void response.destroy(), /^the connection failed \(/],
  ])('%s is a 503, and the log says which', async (_what, odd, why) => {
    answer = odd;
    expect(await statusOf()).toBe(503);
    expect(ofIssuer()).toEqual([expect.stringMatching(why)]);
  });
});

describe('a key that it publishes in the place of another (SEC-8)', () => {
  /** All that it publishes, under that id or none. */
  async function publish(kid: string | undefined) {
    const pair = await generateKeyPair('ES256');
    const jwk = { ...(await exportJWK(pair.publicKey)), ...(kid !== undefined && { kid }) };
    answer = (response) => void response.end(JSON.stringify({ keys: [jwk] }));
    return { header: { kid }, by: pair.privateKey };
  }

  it.each([
    ['under its id', 'one'],
    ['without one', undefined],
  ])('counts after 5 s: %s', async (_how, kid) => {
    const before = await publish(kid);
    expect(await statusOf(before)).toBe(200);
    const after = await publish(kid);
    pass(4);
    expect([await statusOf(after), asked]).toEqual([401, 1]);
    pass(1);
    // at once, of which one has it read
    expect(await Promise.all([statusOf(after), statusOf(after), statusOf(after)])).toEqual([200, 200, 200]);
    expect([await statusOf(before), asked]).toEqual([401, 2]);
  });

  it('tokens by a key that is none of them do not make it asked more often', async () => {
    expect(await statusOf()).toBe(200);
    const by = (await generateKeyPair('ES256')).privateKey;
    for (let nth = 2; nth <= 4; nth += 1) {
      pass(5);
      for (let times = 0; times < 5; times += 1) expect(await statusOf({ by })).toBe(401);
      expect([await statusOf(), asked]).toEqual([200, nth]);
    }
  });
});

describe('while it is away', () => {
  const away = (response: ServerResponse) => void response.writeHead(500).end();

  it('it is asked once in 5 s, however many tokens come, and the log has a line when that begins, changes and ends', async () => {
    answer = away;
    for (let nth = 0; nth < 20; nth += 1) expect(await statusOf(stranger)).toBe(503);
    expect(asked).toBe(1);
    for (let nth = 2; nth <= 4; nth += 1) {
      pass(5);
      expect([await statusOf(stranger), await statusOf(), asked]).toEqual([503, 503, nth]);
    }
    answer = (response) => void response.writeHead(503).end();
    pass(5);
    await statusOf(stranger);
    answer = well;
    pass(5);
    expect([await statusOf(), await statusOf()]).toEqual([200, 200]);
    expect(ofIssuer()).toEqual([
      'it answered 500, and not 200',
      'it answered 503, and not 200',
      "the token issuer's keys can be had again",
    ]);
  });

  it('tokens by keys that are known are taken, whatever strangers bring', async () => {
    expect(await statusOf()).toBe(200);
    answer = away;
    pass(6); // a key that is not known may be a new one by now
    for (let nth = 0; nth < 5; nth += 1)
      expect([await statusOf(stranger), await statusOf()]).toEqual([503, 200]);
    expect(asked).toBe(2);
    expect(ofIssuer()).toHaveLength(1);
  });
});

describe('whoever brings a token that it has signed reads what is wrong with it', () => {
  const later = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;
  it.each<[string, RegExp, () => Changes]>([
    ['no client', /claim client_id is missing\./, () => ({ claims: { client_id: undefined } })],
    ['no jti', /claim jti is missing\./, () => ({ claims: { jti: undefined } })],
    [
      'no role',
      /claim roles must be a list with one .* has none: psp, fxp, ipso, operator\./,
      () => ({ claims: { roles: undefined } }),
    ],
    [
      'a role of another service',
      /claim roles must be .* has none/,
      () => ({ claims: { roles: ['admin'] } }),
    ],
    ['two roles', /claim roles must be .* has several/, () => ({ claims: { roles: ['psp', 'operator'] } })],
    [
      'no institution',
      /role is psp: its claim institution_id must name/,
      () => ({ claims: { institution_id: undefined } }),
    ],
    [
      'an unknown institution',
      /institution_id names no institution of this scheme/,
      () => ({ claims: { institution_id: 'XX' } }),
    ],
    [
      'an institution in another role',
      /institution_id names has not the role fxp/,
      () => ({ claims: { roles: ['fxp'] } }),
    ],
    [
      'no payment system',
      /role is ipso: its claim clearing_system_id must name/,
      () => ({ claims: { roles: ['ipso'] } }),
    ],
    [
      'an unknown payment system',
      /clearing_system_id names no payment system/,
      () => ({ claims: { roles: ['ipso'], clearing_system_id: 'XX' } }),
    ],
    [
      'another issuer',
      /claim iss must be https:\/\/issuer\.test\./,
      () => ({ claims: { iss: 'https://other.test' } }),
    ],
    ['another audience', /claim aud must name isthmus\./, () => ({ claims: { aud: 'other' } })],
    ['the future', /claim iat is in the future/, () => ({ claims: { iat: later(60) } })],
    ['later', /not valid yet \(nbf\)/, () => ({ claims: { nbf: later(60) } })],
    ['an end that is text', /claim exp is not a number/, () => ({ claims: { exp: 'soon' } })],
    ['an id token', /typ in the token's header must be at\+jwt/, () => ({ header: { typ: 'JWT' } })],
    [
      'a key that is not published, or no longer',
      /signed by a key that its issuer does not publish/,
      () => stranger,
    ],
    [
      'no name of the key, where there are several',
      /must name one of them \(kid\)/,
      () => ({ header: { kid: undefined } }),
    ],
  ])('%s: %s', async (_what, why, changes) => {
    const { status, body, headers } = await use(changes());
    expect([status, body.detail]).toEqual([401, expect.stringMatching(why)]);
    expect(headers.get('www-authenticate')).toMatch(why);
  });
});
