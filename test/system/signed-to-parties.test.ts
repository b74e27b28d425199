// Where an operator wants messages signed, ours to it are: over what it gets, anew at each attempt (SEC-1, RFC 9421). Theirs:
// signed-by-parties.test.ts.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { httpbis } from 'http-message-signatures';
import { sql } from 'kysely';
import { afterAll, describe, expect, it } from 'vitest';
import { instruction } from '../../fixtures/instruction.ts';
import { testGateway } from '../harness/gateway.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { eventually } from '../harness/wait.ts';

const gateway = await testGateway();
const { db } = gateway;
const all = ['@method', '@path', '@query', 'content-digest'];

describe('what we send to an operator that has messages signed', () => {
  const got: { headers: IncomingHttpHeaders; url: string; body: Buffer }[] = [];
  const destination = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      got.push({ headers: request.headers, url: request.url ?? '', body: Buffer.concat(chunks) });
      response.writeHead(got.length === 1 ? 503 : 202).end();
    });
  });
  afterAll(() => void destination.close());

  it('is signed over what it got, anew at each attempt, by a key that we publish', async () => {
    await new Promise<void>((resolve) => destination.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(destination.address() as AddressInfo).port}`;
    await sql`update operators set signs_messages = true, endpoint_url = ${`${origin}/in?for=us`} where operator_id = (
      select operator_id from clearing_systems where clearing_system_id = 'THBPPAY')`.execute(db);
    await eventually(async () => {
      const { httpStatus } = await submit(gateway, instruction(await bestQuote(gateway)));
      expect(httpStatus).toBe(200);
      expect(got.length).toBeGreaterThan(0);
    });
    await eventually(() => expect(got.length).toBeGreaterThan(1));
    const { keys: published } = (await (
      await fetch(`${gateway.url}/.well-known/webhooks/jwks.json`)
    ).json()) as {
      keys: { kid: string }[];
    };
    const isGood = ({ headers, url }: (typeof got)[number]) =>
      httpbis.verifyMessage(
        {
          requiredFields: all,
          requiredParams: ['created', 'expires', 'keyid', 'nonce'],
          keyLookup: ({ keyid }) => {
            const jwk = published.find(({ kid }) => kid === keyid);
            if (jwk === undefined) return Promise.resolve(null);
            const key = createPublicKey({ key: jwk, format: 'jwk' });
            return Promise.resolve({
              verify: (data, signature) => Promise.resolve(verify(null, data, key, signature)),
            });
          },
        },
        { method: 'POST', url: `${origin}${url}`, headers: headers as Record<string, string> },
      );
    for (const one of got) {
      expect(one.url).toContain('/in/iso20022/pacs008?for=us&pacs002Endpoint=');
      expect(one.headers['content-digest']).toBe(
        `sha-256=:${createHash('sha256').update(one.body).digest('base64')}:`,
      );
      expect(await isGood(one)).toBe(true);
      expect(await isGood({ ...one, url: `${one.url}&x` }).catch(() => false)).toBe(false);
    }
    expect(new Set(got.map(({ headers }) => headers['signature-input'])).size).toBe(got.length);
  });
});
