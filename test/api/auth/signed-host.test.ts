// A signature for another gateway does not count here, if our address is published (SEC-1).
import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, describe, expect, test } from 'vitest';
import { httpbis } from 'http-message-signatures';
import { startApi } from '../../../api/start.ts';
import { testGateway } from '../../harness/gateway.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const digest = `sha-256=:${createHash('sha256').update('<a/>').digest('base64')}:`;
const components = ['@method', '@path', '@query', 'content-digest'];
const url = 'https://isthmus.example/iso20022/pacs008?a=b';

async function headOf(signedUrl: string, fields: readonly string[]) {
  const { headers } = await httpbis.signMessage(
    {
      key: { id: 'k', alg: 'ed25519', sign: (base) => Promise.resolve(sign(null, base, privateKey)) },
      fields: [...fields],
      params: ['created', 'keyid', 'nonce'],
      paramValues: { created: new Date(), nonce: randomUUID() },
    },
    { method: 'POST', url: signedUrl, headers: { 'content-digest': digest } },
  );
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    method: 'POST',
    target: '/iso20022/pacs008?a=b',
    url: 'http://api:8080/iso20022/pacs008?a=b', // as it comes from a proxy that names us otherwise
    headers: { ...Object.fromEntries(named), host: 'api:8080' } as Readonly<Record<string, string>>,
  };
}

describe('an api with a published address, asked over HTTP (SEC-1)', async () => {
  const jwk = JSON.stringify(publicKey.export({ format: 'jwk' }));
  const gateway = await testGateway({
    worker: false,
    prepare: async (db) => {
      await sql`
        insert into public_keys (key_id, operator_id, public_jwk, valid_from)
        values ('k', 'IPSO-SG', ${jwk}::jsonb, now() - interval '1 day')`.execute(db);
      await sql`update operators set signs_messages = true where operator_id = 'IPSO-SG'`.execute(db);
    },
  });
  const published = await startApi(
    { ...gateway.config, port: 0, publicUrl: 'https://isthmus.example' },
    { logger: pino({ level: 'silent' }), taskQueuePrefix: gateway.taskQueuePrefix },
  );
  afterAll(() => published.close());

  /** The answer to a submission without its callback address: a signature that counts leads to that refusal, 400. */
  async function answered(api: string, signedUrl: string, fields: readonly string[]) {
    const { headers } = await headOf(signedUrl, fields);
    const response = await fetch(`${api}/iso20022/pacs008?a=b`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await gateway.token('SGDFAST')}`,
        'content-type': 'application/xml',
        'content-digest': digest,
        'signature-input': headers['signature-input'] ?? '',
        signature: headers['signature'] ?? '',
      },
      body: '<a/>',
    });
    return [response.status, await response.text()];
  }

  test('takes what is signed for it, and says why it refuses the rest', async () => {
    const withHost = [...components, '@authority'];
    expect(await answered(published.url, url, withHost)).toEqual([
      400,
      expect.stringContaining('pacs002Endpoint is missing'),
    ]);
    expect(await answered(published.url, published.url + '/iso20022/pacs008?a=b', withHost)).toEqual([
      401,
      expect.stringContaining('\\"@authority\\" is isthmus.example'),
    ]);
    expect(await answered(published.url, url, components)).toEqual([
      401,
      expect.stringContaining('The signature is not over \\"@authority\\"'),
    ]);
  });

  test('on loopback the host need not be signed', async () => {
    expect(await answered(gateway.url, url, components)).toEqual([
      400,
      expect.stringContaining('pacs002Endpoint is missing'),
    ]);
  });
});
