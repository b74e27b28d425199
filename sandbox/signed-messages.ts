/**
 * Signs a destination's messages to the gateway, if its payment system has a key in the sandbox (RFC 9421). A
 * real party needs only a hash function and a signature function for this; docs/how-to/sign-messages.md shows
 * the steps.
 */
import { createHash, createPrivateKey, randomUUID, sign, type KeyObject } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from '../core/settings/environment-variables.ts';

/** Ed25519 keys by the id of the payment system. The same id is the key id in signatures. */
export type SigningKeys = ReadonlyMap<string, KeyObject>;

const keyFile = /^(?<id>[A-Za-z0-9_.-]{1,35})\.pem$/;

/**
 * Reads the files `<payment system id>.pem` of a directory. It ignores files with other endings.
 * @param systems the ids of the known payment systems
 * @throws ConfigurationError that names the unusable file
 */
export function readSigningKeys(directory: string, systems: readonly string[]): SigningKeys {
  try {
    return new Map(
      readdirSync(directory).flatMap((name) => {
        const id = keyFile.exec(name)?.groups?.['id'];
        if (id === undefined) return [];
        if (systems.includes(id)) return [[id, readKey(join(directory, name))] as const];
        throw new ConfigurationError(
          `${join(directory, name)} is named after no payment system; there are ${systems.join(', ')}.`,
        );
      }),
    );
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    throw new ConfigurationError(
      `SIGNING_KEYS_DIR cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function readKey(path: string): KeyObject {
  const text = readFileSync(path);
  let key: KeyObject | undefined;
  try {
    key = createPrivateKey(text);
  } catch {
    key = undefined; // the error below must not contain the contents of the file
  }
  if (key?.asymmetricKeyType === 'ed25519') return key;
  throw new ConfigurationError(
    `${path} is not a private key that messages are signed with; expected: PEM, ed25519.`,
  );
}

/**
 * Builds the signature headers of one attempt. Each attempt gets a new signature, because the gateway accepts
 * a signature only once.
 */
export function signedHeaders(
  { keyId, key }: { readonly keyId: string; readonly key: KeyObject },
  { url, body }: { readonly url: string; readonly body: string },
): Readonly<Record<string, string>> {
  const { host, pathname, search } = new URL(url);
  const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
  const created = Math.floor(Date.now() / 1_000);
  const parameters = `("@method" "@authority" "@path" "@query" "content-digest");created=${created};keyid="${keyId}";nonce="${randomUUID()}"`;
  const base = [
    '"@method": POST',
    `"@authority": ${host}`,
    `"@path": ${pathname}`,
    `"@query": ${search === '' ? '?' : search}`,
    `"content-digest": ${digest}`,
    `"@signature-params": ${parameters}`,
  ].join('\n');
  return {
    'content-digest': digest,
    'signature-input': `sig=${parameters}`,
    signature: `sig=:${sign(null, Buffer.from(base), key).toString('base64')}:`,
  };
}
