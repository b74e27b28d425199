// Signs messages, afresh for each attempt, with every key that is active at that moment. The keys are in
// memory: the attempt is already recorded by then, so signing must not wait. The signer reloads the keys when
// they change, and rotates them when due.
import { createPrivateKey, sign, type KeyObject, createHash, randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { signedPrefix, webhookHeaders } from '../../core/deliveries/webhook-signature.ts';
import type { Db } from '../../db/pool/connection.ts';
import { alertUnlessOpen } from '../../db/records/audit.ts';
import {
  rotateDeliveryKey,
  signingKeyIds,
  signingKeys,
  unreadableKey,
  wrapDeliveryKeys,
  type StrangeKey,
} from '../../db/keys/delivery-keys.ts';
import { ReferenceDataStale, SealingKeyMissing } from '../../db/pool/failures.ts';
import { repeat } from '../../db/pool/repeat.ts';
import { httpbis } from 'http-message-signatures';
import {
  contentDigest,
  signatureToleranceSeconds,
  signedComponents,
} from '../../core/deliveries/http-signature.ts';

export interface Signer {
  /**
   * The Standard Webhooks headers for one attempt that is made now. The time comes from this process: a wrong
   * clock here affects fewer receivers than a wrong clock of the database.
   * @param message its MsgId, which is the same for each attempt, and its bytes
   */
  headersOf(message: { readonly id: string; readonly body: Uint8Array }): Readonly<Record<string, string>>;
  /**
   * The HTTP Message Signature headers (RFC 9421) for one attempt to a party that requires them. They use the
   * newest key that was published long enough ago to be in every cached copy of our key set.
   */
  signedRequest(request: {
    readonly url: string;
    readonly body: Uint8Array;
  }): Promise<Readonly<Record<string, string>>>;
  sign(content: Uint8Array): { readonly keyId: string; readonly signature: Buffer };
  close(): Promise<void>;
}

export interface SignerOptions {
  /** Age in days at which a key is rotated; 0 rotates only when an operator asks for it. */
  readonly rotateAfterDays: number;
  /** Returns the newest reference data. It is a new object whenever a key has changed. */
  readonly reference: () => object;
  readonly logger: Logger;
}

interface Key {
  readonly keyId: string;
  readonly from: number;
  readonly until: number;
  readonly privateKey: KeyObject;
}

const lookMs = 250;
const afterFailureMs = 5_000; // Milliseconds. Each failure writes a line to the log.
const hourMs = 3_600_000;

/** @throws if the keys cannot be read, or if there is no key */
export async function openSigner(db: Db, options: SignerOptions): Promise<Signer> {
  const { reference, logger } = options;
  let readFor = reference();
  let madeAt = performance.now();
  await tellOfOthers(db, logger, true);
  await makeIfDue(db, options);
  let keys = await readKeys(db);
  const refresh = async () => {
    // First drop withdrawn keys. They must not sign, even if a later step fails.
    const signing = await signingKeyIds(db);
    const left = keys.filter(({ keyId }) => signing.has(keyId));
    if (left.length > 0) keys = left;
    keys = await readOrMake(db, options).catch((error: unknown) => {
      keys = left;
      throw error;
    });
  };
  const look = async () => {
    const isHourOver = performance.now() - madeAt > hourMs;
    if (isHourOver) {
      madeAt = performance.now();
      await makeIfDue(db, options);
    }
    const newest = newestOf(reference);
    if (newest === undefined || (newest === readFor && !isHourOver)) return;
    await refresh();
    // Last, because it waits for a lock. Keys that it approves are read at the next call.
    await tellOfOthers(db, logger, false);
    readFor = newest;
  };
  const stopLooking = repeat(async () => {
    try {
      await look();
      return lookMs;
    } catch (error) {
      logger.warn({ err: error }, 'keys of deliveries could not be read; trying again');
      return afterFailureMs;
    }
  });
  return {
    headersOf: ({ id, body }) => {
      const now = Date.now();
      const timestamp = String(Math.floor(now / 1_000));
      const content = Buffer.concat([Buffer.from(signedPrefix(id, timestamp)), body]);
      const signatures = keys
        .filter(({ until }) => now < until)
        .map(({ privateKey }) => sign(null, content, privateKey).toString('base64'));
      if (signatures.length === 0) throw new SealingKeyMissing(noKey);
      return webhookHeaders(id, timestamp, signatures);
    },
    signedRequest: (request) => signedRequest(wellKnownKey(keys, Date.now()), request),
    sign: (content) => {
      const { keyId, privateKey } = newestKey(keys);
      return { keyId, signature: sign(null, content, privateKey) };
    },
    close: stopLooking,
  };
}

/** Nothing is sent unsigned. Messages wait until there is a key. */
const noKey = 'there is no key for what is sent, and none could be made';

/** @throws SealingKeyMissing if all keys have been withdrawn and this process cannot read their successors */
function newestKey([newest]: readonly Key[]): Key {
  if (newest === undefined) throw new SealingKeyMissing(noKey);
  return newest;
}

/**
 * Milliseconds: twice the time for which a receiver may cache the key set. If no key has been published that
 * long, the oldest key signs.
 */
const publishedMs = 600_000;

function wellKnownKey(keys: readonly Key[], nowMs: number): Key {
  const signing = keys.filter(({ until }) => nowMs < until);
  return signing.find(({ from }) => nowMs - from > publishedMs) ?? signing.at(-1) ?? newestKey(keys);
}

/**
 * Undefined if the reference data is stale because the database does not answer. New keys cannot be read then
 * either.
 */
function newestOf(reference: () => object): object | undefined {
  try {
    return reference();
  } catch (error) {
    if (error instanceof ReferenceDataStale) return undefined;
    throw error;
  }
}

/** Creates a key if the newest one is too old. The first key is always due. */
async function makeIfDue(db: Db, { rotateAfterDays, logger }: SignerOptions): Promise<void> {
  const ifOlderThanDays = rotateAfterDays === 0 ? forever : rotateAfterDays;
  try {
    const rotation = { by: 'isthmus', because: 'on schedule', withdraw: false, ifOlderThanDays };
    const keyId = await rotateDeliveryKey(db, rotation);
    if (keyId !== undefined) logger.info({ keyId }, 'a key of what is sent was made');
  } catch (error) {
    logger.warn({ err: error }, 'a key of deliveries that is due could not be made; trying again in an hour');
  }
}

const forever = 100_000;

/**
 * Reads the keys. If none can sign here, because they were withdrawn or are unreadable, creates one at once.
 */
async function readOrMake(db: Db, options: SignerOptions): Promise<readonly Key[]> {
  try {
    return await readKeys(db);
  } catch (error) {
    if (!(error instanceof SealingKeyMissing)) throw error;
    await makeIfDue(db, options);
    return readKeys(db);
  }
}

const said = {
  // An intruder inserted the key, so that it signs or is published.
  'delivery-key.not-ours': 'a delivery key was not made by us, and is ignored',
  // Another process with a different sealing key wrote it, or an intruder in the database did.
  'delivery-key.unreadable': unreadableKey,
} as const satisfies Record<StrangeKey['kind'], string>;

async function tellOfOthers(db: Db, logger: Logger, atStart: boolean): Promise<void> {
  for (const { kind, keyId } of await wrapDeliveryKeys(db, atStart)) {
    logger.error({ keyId }, said[kind]);
    await alertUnlessOpen(db, { kind, detail: { keyId } });
  }
}

async function readKeys(db: Db): Promise<readonly Key[]> {
  const keys = await signingKeys(db);
  if (keys.length === 0) throw new SealingKeyMissing(noKey);
  return keys.map(({ keyId, publicKey, privateKey, signsFrom, signsUntil }) => ({
    keyId,
    from: signsFrom.getTime(),
    until: signsUntil?.getTime() ?? Number.POSITIVE_INFINITY,
    privateKey: createPrivateKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: publicKey, d: privateKey },
      format: 'jwk',
    }),
  }));
}

interface RequestKey {
  readonly keyId: string;
  /** An Ed25519 key. */
  readonly privateKey: KeyObject;
}

async function signedRequest(
  { keyId, privateKey }: RequestKey,
  { url, body }: { readonly url: string; readonly body: Uint8Array },
): Promise<Readonly<Record<string, string>>> {
  const digest = contentDigest(createHash('sha256').update(body).digest('base64'));
  const created = new Date();
  const { headers } = await httpbis.signMessage(
    {
      key: {
        id: keyId,
        alg: 'ed25519',
        sign: (base) => Promise.resolve(sign(null, base, privateKey)),
      },
      fields: [...signedComponents],
      params: ['created', 'expires', 'keyid', 'nonce', 'alg'],
      paramValues: {
        created,
        expires: new Date(created.getTime() + signatureToleranceSeconds * 1_000),
        nonce: randomUUID(),
      },
    },
    { method: 'POST', url, headers: { 'content-digest': digest } },
  );
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value].flat().join(', ')]),
  );
}
