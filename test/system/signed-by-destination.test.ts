// A destination that signs what it sends, by a program that knows no library of ours (RFC 9421, SEC-1): until its key counts,
// its report decides nothing, and then it does.
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { instruction } from '../../fixtures/instruction.ts';
import { readSigningKeys } from '../../sandbox/signed-messages.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { eventually } from '../harness/wait.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const gateway = await testGateway({ signingKeys: new Map([['THBPPAY', privateKey]]) });
const { db } = gateway;
const evidence = evidenceOf(gateway);

const answers = (uetr: string) =>
  gateway.sandbox.journal
    .entries()
    .filter((one) => one.uetr === uetr && one.party === 'destination/IPSO-TH' && one.direction === 'sent')
    .filter(({ sentAt }) => sentAt !== undefined) // not what was said in the answer
    .map(({ httpStatus }) => httpStatus);

describe('a report of a destination whose operator has messages signed', () => {
  it('decides once its key counts', async () => {
    await sql`update operators set signs_messages = true where operator_id = 'IPSO-TH'`.execute(db);
    // within a second in every process (REF-6)
    await eventually(async () => {
      const token = await gateway.token('THBPPAY');
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/xml' };
      const { status } = await fetch(`${gateway.url}/iso20022/pacs002`, {
        method: 'POST',
        headers,
        body: '<x/>',
      });
      expect(status).toBe(401);
    });
    const message = instruction(await bestQuote(gateway), { creditorAccount: { otherId: '6600000002' } });
    expect((await submit(gateway, message)).report?.status).toBe('ACTC');
    await expect.poll(() => answers(message.uetr)).toContain(401);
    expect(await evidence.decision(message.uetr)).toBeUndefined();

    const jwk = JSON.stringify(createPublicKey(privateKey).export({ format: 'jwk' }));
    await sql`
      insert into public_keys (key_id, operator_id, public_jwk, valid_from)
      values ('THBPPAY', 'IPSO-TH', ${jwk}::jsonb, now() - interval '1 day')`.execute(db);
    await evidence.arrival(message.uetr, 'source', 'pacs002', 'ACCC');
    expect(answers(message.uetr).at(-1)).toBe(200);
    expect(await evidence.decision(message.uetr)).toMatchObject({ status: 'ACCC' });
  });
});

describe('the keys of the sandbox', () => {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-keys-'));
  const write = (name: string, text: string | Buffer) => writeFileSync(join(folder, name), text);

  it('are the files of a directory, named after the payment system', () => {
    write('THBPPAY.pem', privateKey.export({ type: 'pkcs8', format: 'pem' }));
    write('README', 'not a key');
    expect([...readSigningKeys(folder, ['THBPPAY', 'SGDFAST']).keys()]).toEqual(['THBPPAY']);
  });

  it.each([
    ['no key', 'secret'],
    ['a public one', createPublicKey(privateKey).export({ type: 'spki', format: 'pem' })],
    [
      'of another kind',
      generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey.export({
        type: 'pkcs8',
        format: 'pem',
      }),
    ],
  ])('%s: it does not start, and does not say what the file holds', (_what, text) => {
    write('SGDFAST.pem', text);
    expect(() => readSigningKeys(folder, ['THBPPAY', 'SGDFAST'])).toThrow(
      /SGDFAST\.pem is not a private key.*expected: PEM, ed25519\.$/,
    );
  });

  it('of no payment system: it does not start, and says which there are', () => {
    write('IPSO-TH.pem', 'any');
    expect(() => readSigningKeys(folder, ['THBPPAY', 'SGDFAST'])).toThrow(
      /IPSO-TH\.pem is named after no payment system; there are THBPPAY, SGDFAST\.$/,
    );
  });

  it('no directory: it does not start', () => {
    rmSync(folder, { recursive: true });
    expect(() => readSigningKeys(folder, ['THBPPAY', 'SGDFAST'])).toThrow('SIGNING_KEYS_DIR cannot be read');
  });
});
