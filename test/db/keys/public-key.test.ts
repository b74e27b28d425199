// Which public keys a party may enter, and which are refused because others could sign with them (SEC-1, ADM-1).
import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readPublicKey } from '../../../db/keys/public-key.ts';

const jwkOf = ({ publicKey }: { readonly publicKey: { export(of: { format: 'jwk' }): JsonWebKey } }) =>
  publicKey.export({ format: 'jwk' }) as Record<string, unknown>;
const ed25519 = jwkOf(generateKeyPairSync('ed25519'));
const p256 = jwkOf(generateKeyPairSync('ec', { namedCurve: 'prime256v1' }));
const p384 = jwkOf(generateKeyPairSync('ec', { namedCurve: 'secp384r1' }));
const pair = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const rsa = jwkOf(pair);
const base64url = (hex: string) => Buffer.from(hex, 'hex').toString('base64url');

describe('a key that may be entered', () => {
  it.each([
    ['Ed25519', ed25519],
    ['P-256', p256],
    ['P-384', p384],
    ['RSA', rsa],
    ['Ed25519', { ...ed25519, use: 'sig', alg: 'EdDSA', key_ops: ['verify'], kid: 'any' }],
    ['RSA', { ...rsa, alg: 'PS256' }],
  ])('%s', (kind, jwk) => {
    expect(readPublicKey(jwk)).toMatchObject({ ok: true, value: { kind } });
  });
});

describe('a key that is refused, and why', () => {
  it.each([
    ['none', {}, 'must be of Ed25519'],
    ['a secret', { kty: 'oct', k: 'c2VjcmV0' }, 'must be of Ed25519'],
    ['of another curve', jwkOf(generateKeyPairSync('ec', { namedCurve: 'secp256k1' })), 'must be of Ed25519'],
    ['for encryption', { ...rsa, use: 'enc' }, 'use says otherwise'],
    ['for wrapping', { ...rsa, key_ops: ['wrapKey'] }, 'key_ops say otherwise'],
    ['for a padding that can be forged more easily', { ...rsa, alg: 'RS256' }, 'alg says otherwise'],
    ['for none', { ...ed25519, alg: 'none' }, 'alg says otherwise'],
    ['a point beside the curve', { ...p256, y: p256['x'] }, 'must be a key'],
    ['half a point', { kty: 'EC', crv: 'P-256', x: p256['x'] }, 'must be a key'],
    ['too short', { ...ed25519, x: base64url('00'.repeat(31)) }, 'must be a key'],
    ['of RSA with 1024 bits', jwkOf(generateKeyPairSync('rsa', { modulusLength: 1_024 })), 'and has 1024'],
    ['of RSA whose signature is the text itself', { ...rsa, e: base64url('01') }, 'exponent 65537'],
    ['of RSA with the exponent 3', { ...rsa, e: base64url('03') }, 'exponent 65537'],
    ['with all of its private part', jwkOf({ publicKey: pair.privateKey }), 'the member d of a private key'],
  ])('%s', (_what, jwk, why) => {
    expect(readPublicKey(jwk)).toEqual({ ok: false, refusal: expect.stringContaining(why) as string });
  });

  const bytesOf = (text: unknown) => Buffer.from(String(text), 'base64url');
  const padded = (text: unknown, zeros: number) =>
    Buffer.concat([Buffer.alloc(zeros), bytesOf(text)]).toString('base64url');
  it.each<[string, Record<string, unknown>, string]>([
    ['with characters that are none', ed25519, 'x'],
    ['with characters that are none', rsa, 'n'],
  ])('spelled %s: %j', (_what, jwk, member) => {
    const text = String(jwk[member]);
    const spellings = [
      `${text.slice(0, 10)}!* ${text.slice(10)}`,
      `${text}=`,
      `${text}\n`,
      ` ${text}`,
      bytesOf(text)
        .toString('base64')
        .replace(/^[A-Za-z0-9]/, '+'),
      bytesOf(text).toString('base64'),
      padded(text, 1),
      padded(text, 4),
      `${text.slice(0, -1)}${text.endsWith('B') ? 'C' : 'B'}`, // bits that no byte has
      [text],
    ].filter((spelling) => spelling !== text);
    for (const spelling of spellings) {
      const read = readPublicKey({ ...jwk, [member]: spelling });
      expect(read).toEqual({ ok: false, refusal: expect.stringContaining(`its ${member} must`) as string });
    }
  });

  const ofSmallOrder = [
    '0100000000000000000000000000000000000000000000000000000000000000',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    // in spellings that nobody should use, and a library may take
    '0100000000000000000000000000000000000000000000000000000000000080',
  ];
  it.each(ofSmallOrder)('a point of small order: %s', (hex) => {
    expect(readPublicKey({ ...ed25519, x: base64url(hex) }).ok).toBe(false);
  });
});
