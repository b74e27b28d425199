// Whether a message was signed by the operator that it comes from (SEC-1, RFC 9421), where that operator wants it: a token
// that somebody has stolen, or who can read and write at a proxy, is not enough then. Each signature counts once.
import { constants, createHash, timingSafeEqual, verify } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import type { Logger } from 'pino';
import { httpbis, type SignatureParameters } from 'http-message-signatures';
import { operatorOf } from '../../core/receiver.ts';
import type { ReferenceData } from '../../core/reference.ts';
import {
  digestIn,
  signatureParameters,
  signatureToleranceSeconds,
  signedComponents,
} from '../../core/http-signature.ts';
import type { Db } from '../../db/connection.ts';
import { keysOfParty, type PartyKey } from '../../db/party-keys.ts';
import { readPublicKey, type KeyKind } from '../../db/public-key.ts';
import { useAssertion } from '../../db/used-assertions.ts';
import type { Caller, SignatureCheck } from '../http/caller.ts';
import { problem, type Problem } from '../http/problem.ts';

export interface SignatureDependencies {
  readonly db: Db;
  readonly reference: () => ReferenceData;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** Is told why a message was refused: its sender may be a program that nobody reads. */
  readonly logger: Pick<Logger, 'warn'>;
  /** Is told whose message was refused, by its payment system. */
  readonly metrics: { refusedSignature(clearingSystemId: string): void };
}

/** What a signature must be like, for whoever is refused. */
const wanted =
  'Sign each message anew, after RFC 9421: over "@method", "@path", "@query" and "content-digest" (sha-256), with created, keyid and a nonce that is used once.';

const refused = (why: string): Problem =>
  problem('signature-refused', {
    detail: `${why} ${wanted}`,
    headers: { 'accept-signature': acceptSignature },
  });
const acceptSignature = `sig=("@method" "@path" "@query" "content-digest");created;keyid;nonce`;

const longestNonce = 256;

export function createSignatureCheck(deps: SignatureDependencies): SignatureCheck {
  return async (context, caller, body) => {
    const system = signingSystem(deps.reference(), caller);
    if (system === undefined) return undefined;
    const why = await refusalOf(deps, system, { context, body });
    if (why === undefined) return undefined;
    deps.logger.warn({ client: caller.clientId, why }, 'a message was refused for its signature');
    deps.metrics.refusedSignature(system);
    return refused(why);
  };
}

/** Why the message does not count; undefined: it does, and its signature has been used up. */
async function refusalOf(
  { db, clock }: SignatureDependencies,
  system: string,
  { context, body }: { readonly context: Context; readonly body: Uint8Array },
): Promise<string | undefined> {
  const { incoming } = (context.env ?? {}) as { readonly incoming?: IncomingMessage };
  const headers = headersOf(incoming);
  const digest = digestIn(headers['content-digest'] ?? '');
  if (headers['signature'] === undefined || headers['signature-input'] === undefined) {
    return 'The operator of this payment system has its messages signed, and this one is not.';
  }
  if (digest === undefined || !isDigestOf(digest, body)) {
    return 'Content-Digest is not the SHA-256 of the body.';
  }
  const keys = await keysOfParty(db, { clearingSystemId: system });
  const nowMs = clock();
  const found = await verifiedBy(context, { headers, keys, nowMs });
  if (!found.isGood) return found.why;
  for (const { keyid = '', nonce = '', created } of found.signatures) {
    const endsAtMs =
      (created instanceof Date ? created.getTime() : nowMs) + 2 * signatureToleranceSeconds * 1_000;
    const isFirst = await useAssertion(db, { clientId: `signature ${keyid}`, jti: nonce, endsAtMs });
    if (!isFirst) return 'A signature with this nonce was used before.';
  }
  return undefined;
}

/** The payment system that the caller speaks for, if its operator wants signatures. */
function signingSystem(data: ReferenceData, { clearingSystemId: id = '' }: Caller): string | undefined {
  return operatorOf(data, id)?.signsMessages === true ? id : undefined;
}

/** One line each: of a header that comes twice, both. */
function headersOf(incoming: IncomingMessage | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(incoming?.headers ?? {}).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(', ')]],
    ),
  );
}

function isDigestOf(base64: string, body: Uint8Array): boolean {
  return timingSafeEqual(Buffer.from(base64, 'base64'), createHash('sha256').update(body).digest());
}

interface Signed {
  readonly headers: Readonly<Record<string, string>>;
  readonly keys: readonly PartyKey[];
  readonly nowMs: number;
}

/** The parameters of those that are good: each of them counts once. Or why none is. */
type Verified =
  | { readonly isGood: true; readonly signatures: readonly SignatureParameters[] }
  | { readonly isGood: false; readonly why: string };

/** What is wrong, by the last of those that say so: a message has one signature of its operator, as a rule. */
const noKey = 'No key of this operator has the keyid of the signature.';
const notTimely = `The signature has no nonce, or its created is more than ${signatureToleranceSeconds} seconds from our clock.`;
const notGood =
  'The signature does not fit what came, under the key of its keyid: another key signed, or something else was signed.';

async function verifiedBy({ req }: Context, { headers, keys, nowMs }: Signed): Promise<Verified> {
  const signatures: SignatureParameters[] = [];
  let why = 'Signature-Input has no signature over what is wanted, or cannot be read.';
  const now = new Date(nowMs);
  const config = {
    notAfter: new Date(nowMs + signatureToleranceSeconds * 1_000),
    requiredFields: [...signedComponents],
    requiredParams: [...signatureParameters],
    componentParser: (_name: string, parameters: ReadonlyMap<string, unknown>) => {
      // the component itself is wanted, and not a part of it, or that of another message
      if (parameters.size > 0) throw new Error('a component has parameters');
      return null;
    },
    keyLookup: (parameters: SignatureParameters) => {
      const key = keys.find(({ keyId }) => keyId === parameters.keyid);
      const by = key && verifierOf(key);
      why = by === undefined ? noKey : notTimely;
      if (key === undefined || by === undefined || !isTimely(parameters, now)) return Promise.resolve(null);
      why = notGood;
      return Promise.resolve({
        id: key.keyId,
        algs: [by.alg],
        verify: async (data: Buffer, signature: Buffer, given?: SignatureParameters) => {
          if (given?.alg !== undefined && given.alg !== by.alg) return false;
          const isGood = await by.verify(data, signature);
          if (isGood) signatures.push(parameters);
          return isGood;
        },
      });
    },
  };
  try {
    const isGood = await httpbis.verifyMessage(config, { method: req.method, url: req.url, headers });
    return isGood === true && signatures.length > 0 ? { isGood, signatures } : { isGood: false, why };
  } catch {
    return { isGood: false, why }; // the library throws for what is malformed, expired or unknown
  }
}

function isTimely({ created, nonce }: SignatureParameters, now: Date): boolean {
  const ageMs = created instanceof Date ? now.getTime() - created.getTime() : Number.NaN;
  const isOnce = typeof nonce === 'string' && nonce !== '' && nonce.length <= longestNonce;
  return Math.abs(ageMs) <= signatureToleranceSeconds * 1_000 && isOnce; // what has expired the library refuses
}

/** By the kind of the key, and never of the message's choice. Undefined: registered, and not to be used. */
function verifierOf({ jwk }: PartyKey) {
  const read = readPublicKey(jwk);
  if (!read.ok) return undefined;
  const { kind, key } = read.value;
  const { alg, hash, ...options } = algorithmOf[kind];
  return {
    alg,
    verify: (data: Buffer, signature: Buffer) =>
      Promise.resolve(verify(hash, data, { key, ...options }, signature)),
  };
}

/** RFC 9421, 3.3: as written there, and not as libraries would take it, too. */
const algorithmOf = {
  Ed25519: { alg: 'ed25519', hash: null },
  'P-256': { alg: 'ecdsa-p256-sha256', hash: 'sha256', dsaEncoding: 'ieee-p1363' },
  'P-384': { alg: 'ecdsa-p384-sha384', hash: 'sha384', dsaEncoding: 'ieee-p1363' },
  RSA: { alg: 'rsa-pss-sha512', hash: 'sha512', padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 },
} as const satisfies Readonly<Record<KeyKind, object>>;
