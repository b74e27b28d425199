// Keys that a party may enter, and those by which others than it could sign, or nobody (SEC-1, ADM-1).
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
    [
      'of a curve that is too long',
      jwkOf(generateKeyPairSync('ec', { namedCurve: 'secp521r1' })),
      'must be of',
    ],
    ['for an exchange of keys', jwkOf(generateKeyPairSync('x25519')), 'must be of Ed25519'],
    ['of Ed448', jwkOf(generateKeyPairSync('ed448')), 'must be of Ed25519'],
    ['for encryption', { ...rsa, use: 'enc' }, 'use says otherwise'],
    ['for wrapping', { ...rsa, key_ops: ['wrapKey'] }, 'key_ops say otherwise'],
    ['for what is not a list', { ...rsa, key_ops: 'verify' }, 'key_ops say otherwise'],
    ['for a padding that can be forged more easily', { ...rsa, alg: 'RS256' }, 'alg says otherwise'],
    ['for the algorithm of another kind', { ...p256, alg: 'ES384' }, 'alg says otherwise'],
    ['for none', { ...ed25519, alg: 'none' }, 'alg says otherwise'],
    ['a point beside the curve', { ...p256, y: p256['x'] }, 'must be a key'],
    ['no point: zeros', { ...p256, x: 'A'.repeat(43), y: 'A'.repeat(43) }, 'must be a key'],
    ['a point of another curve', { ...p256, x: p384['x'], y: p384['y'] }, 'must be a key'],
    ['half a point', { kty: 'EC', crv: 'P-256', x: p256['x'] }, 'must be a key'],
    ['too short', { ...ed25519, x: base64url('00'.repeat(31)) }, 'must be a key'],
    ['without anything', { kty: 'RSA' }, 'must be a key'],
    ['members that are no text', { kty: 'OKP', crv: 'Ed25519', x: 1 }, 'must be a key'],
    ['of RSA with 1024 bits', jwkOf(generateKeyPairSync('rsa', { modulusLength: 1_024 })), 'and has 1024'],
    ['of RSA with 2047 bits', { ...rsa, n: base64url(`7f${'ff'.repeat(255)}`) }, 'and has 2047'],
    ['of RSA without end', { ...rsa, n: base64url('ff'.repeat(2_048)) }, 'and has 16384'],
    ['of RSA whose signature is the text itself', { ...rsa, e: base64url('01') }, 'exponent 65537'],
    ['of RSA with the exponent 3', { ...rsa, e: base64url('03') }, 'exponent 65537'],
    ['of RSA with an even exponent', { ...rsa, e: base64url('010002') }, 'exponent 65537'],
    [
      'of RSA with an exponent that may have been chosen for its modulus',
      { ...rsa, e: base64url('0100000001') },
      'exponent 65537',
    ],
    ['for algorithms', { ...rsa, alg: ['PS256'] }, 'alg says otherwise'],
    ['with all of its private part', jwkOf({ publicKey: pair.privateKey }), 'the member d of a private key'],
    ...['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'].map(
      (member): [string, Record<string, unknown>, string] => [
        `with the ${member} of a private key alone`,
        { ...rsa, [member]: 'AQAB' },
        `the member ${member} of a private key`,
      ],
    ),
  ])('%s', (_what, jwk, why) => {
    expect(readPublicKey(jwk)).toEqual({ ok: false, refusal: expect.stringContaining(why) as string });
  });

  const bytesOf = (text: unknown) => Buffer.from(String(text), 'base64url');
  const padded = (text: unknown, zeros: number) =>
    Buffer.concat([Buffer.alloc(zeros), bytesOf(text)]).toString('base64url');
  it.each<[string, Record<string, unknown>, string]>([
    ['with characters that are none', ed25519, 'x'],
    ['with characters that are none', p256, 'y'],
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

  const field = 2n ** 255n - 19n;
  const pointOf = (y: bigint) => {
    const hex = y.toString(16).padStart(64, '0');
    return { ...ed25519, x: Buffer.from(hex, 'hex').reverse().toString('base64url') };
  };
  it('no point of Ed25519: a number in a spelling that is not the only one', () => {
    const refusal = expect.stringContaining('no point') as string;
    expect(readPublicKey(pointOf(field + 3n))).toEqual({ ok: false, refusal });
  });
  it('… but the same number where it is written as it should be', () => {
    expect(readPublicKey(pointOf(3n)).ok).toBe(true);
    for (let nth = 0; nth < 20; nth += 1) {
      expect(readPublicKey(jwkOf(generateKeyPairSync('ed25519'))).ok).toBe(true);
    }
  });

  const ofSmallOrder = [
    '0100000000000000000000000000000000000000000000000000000000000000',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    '0000000000000000000000000000000000000000000000000000000000000000',
    '0000000000000000000000000000000000000000000000000000000000000080',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
    // in spellings that nobody should use, and a library may take
    '0100000000000000000000000000000000000000000000000000000000000080',
    'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  ];
  it.each(ofSmallOrder)('a point of small order: %s', (hex) => {
    expect(readPublicKey({ ...ed25519, x: base64url(hex) }).ok).toBe(false);
  });
});
