// What is signed for another gateway does not count at ours, where our address is published (SEC-1).
import { createHash, generateKeyPairSync, sign, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { httpbis } from 'http-message-signatures';
import { signaturesOf } from '../../../api/auth/signature-input.ts';

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
      paramValues: { created: new Date(), nonce: 'n' },
    },
    { method: 'POST', url: signedUrl, headers: { 'content-digest': digest } },
  );
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    method: 'POST',
    target: '/iso20022/pacs008?a=b',
    url: 'http://api:8080/iso20022/pacs008?a=b', // as it comes from a proxy that names us otherwise
    headers: { ...(Object.fromEntries(named) as Record<string, string>), host: 'api:8080' },
  };
}

/** A text says what is wrong. */
async function judged(signedUrl: string, fields: readonly string[], authority?: string) {
  const [one] = signaturesOf({ ...(await headOf(signedUrl, fields)), authority }, Date.now());
  if (one === undefined || typeof one === 'string') throw new Error(one);
  return 'why' in one ? one.why : verify(null, one.base, publicKey, one.signature);
}

describe('where our address is published (SEC-1)', () => {
  const authority = 'isthmus.example';

  test('a signature over it counts, whatever Host a proxy sets', async () => {
    expect(await judged(url, [...components, '@authority'], authority)).toBe(true);
    expect(
      await judged(url.replace('example/', 'example:443/'), [...components, '@authority'], authority),
    ).toBe(true);
  });

  test('one over the host of another gateway does not, nor one over no host', async () => {
    expect(await judged(url.replace('isthmus', 'test'), [...components, '@authority'], authority)).toBe(
      false,
    );
    expect(await judged(url, components, authority)).toBe('The signature is not over "@authority".');
  });
});

test('where it is not, a host need not be signed, and is that of the request if it is', async () => {
  expect(await judged(url, components)).toBe(true);
  expect(await judged('http://api:8080/iso20022/pacs008?a=b', [...components, '@authority'])).toBe(true);
  expect(await judged(url, [...components, '@authority'])).toBe(false);
});
