// Whether a message was signed by the operator that it comes from (SEC-1, RFC 9421), where that operator wants it: a token
// that somebody has stolen, or who can read and write at a proxy, is not enough then. Each signature counts once. It is over
// the digest of the body, so it is looked at before the body is: whoever cannot sign takes nothing that the operator needs.
import { constants, createHash, timingSafeEqual, verify } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import type { Logger } from 'pino';
import { operatorOf } from '../../core/receiver.ts';
import type { ReferenceData } from '../../core/reference.ts';
import { signatureToleranceSeconds } from '../../core/http-signature.ts';
import type { Db } from '../../db/connection.ts';
import { keysOfParty, type PartyKey } from '../../db/party-keys.ts';
import { readPublicKey, type KeyKind } from '../../db/public-key.ts';
import { useAssertion } from '../../db/used-assertions.ts';
import { aboutRequest } from '../http/access-log.ts';
import type { Caller, SignatureCheck } from '../http/caller.ts';
import { problem } from '../http/problem.ts';
import {
  digestIn,
  signaturesOf,
  type Fault,
  type SignatureInput,
  type SignedHead,
} from './signature-input.ts';

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
const acceptSignature = `sig=("@method" "@path" "@query" "content-digest");created;keyid;nonce`;

export function createSignatureCheck(deps: SignatureDependencies): SignatureCheck {
  const refusing = (context: Context, system: string) => (why: string) => {
    const { requestId, client, route } = aboutRequest(context);
    deps.logger.warn({ requestId, client, route, why }, 'a message was refused for its signature');
    deps.metrics.refusedSignature(system);
    return problem('signature-refused', {
      detail: `${why} ${wanted}`,
      headers: { 'accept-signature': acceptSignature },
    });
  };
  return async (context, caller) => {
    const system = signingSystem(deps.reference(), caller);
    if (system === undefined) return () => Promise.resolve(undefined);
    const refuse = refusing(context, system);
    const head = headOf(context);
    const digest = digestIn(head.headers);
    const good = await goodOf(deps, system, head);
    if (typeof good === 'string') return refuse(good);
    if (typeof digest === 'string') return refuse(digest);
    return async (body) => {
      if (!timingSafeEqual(digest, createHash('sha256').update(body).digest())) {
        return refuse('Content-Digest is not the SHA-256 of the body.');
      }
      return (await areFirst(deps.db, good)) ? undefined : refuse(usedBefore);
    };
  };
}

const usedBefore =
  'A signature with this nonce was used before. If you do not know whether the message was taken, sign the same bytes anew: they are answered as the first time.';

/** Uses them all up: who sees the message go by could take another one of them. */
async function areFirst(db: Db, signatures: readonly SignatureInput[]): Promise<boolean> {
  for (const { keyId, nonce, created } of signatures) {
    const endsAtMs = (created + 2 * signatureToleranceSeconds) * 1_000;
    if (!(await useAssertion(db, { clientId: `signature ${keyId}`, jti: nonce, endsAtMs }))) return false;
  }
  return true;
}

/** The payment system that the caller speaks for, if its operator wants signatures. */
function signingSystem(data: ReferenceData, { clearingSystemId: id = '' }: Caller): string | undefined {
  return operatorOf(data, id)?.signsMessages === true ? id : undefined;
}

function headOf({ req, env }: Context): SignedHead {
  const { incoming } = (env ?? {}) as { readonly incoming?: IncomingMessage };
  const url = new URL(req.url);
  const target = incoming?.url?.startsWith('/') === true ? incoming.url : `${url.pathname}${url.search}`;
  const headers = Object.entries(incoming?.headers ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, [value].flat().join(', ')]],
  );
  const lines = Object.fromEntries(headers) as SignedHead['headers'];
  return { method: req.method, target, url: req.url, headers: lines };
}

/** Those by keys of the operator that fit the head; a text: there is none, and what is wrong with the best of them. */
async function goodOf(
  { db, clock }: SignatureDependencies,
  system: string,
  head: SignedHead,
): Promise<readonly SignatureInput[] | string> {
  const signatures = signaturesOf(head, clock());
  if (typeof signatures === 'string') return signatures;
  const keys = await keysOfParty(db, { clearingSystemId: system });
  const judged = signatures.map((one) => faultOf(one, keys) ?? one);
  const good = judged.filter((one) => 'base' in one);
  if (good.length > 0) return good;
  const [nearest] = judged.filter((one) => 'why' in one).sort((one, other) => other.step - one.step);
  return nearest?.why ?? 'Signature-Input has no signature.';
}

function faultOf(one: SignatureInput | Fault, keys: readonly PartyKey[]): Fault | undefined {
  if ('why' in one) return one;
  const key = keys.find(({ keyId }) => keyId === one.keyId);
  const by = key && verifierOf(key);
  if (by === undefined) {
    return { step: 3, why: 'No key of this operator that counts now has the keyid of the signature.' };
  }
  if (one.alg !== undefined && one.alg !== by.alg) {
    return {
      step: 4,
      why: `alg of the signature is not ${by.alg}, which its key is for; it may be left out.`,
    };
  }
  return by.verify(one.base, one.signature) ? undefined : { step: 5, why: notGood };
}

const notGood =
  'The signature does not fit what came, under the key of its keyid: another key signed, or something else was signed than the method, path and query of the request line and these headers.';

/** By the kind of the key, and never of the message's choice. Undefined: registered, and not to be used. */
function verifierOf({ jwk }: PartyKey) {
  const read = readPublicKey(jwk);
  if (!read.ok) return undefined;
  const { kind, key } = read.value;
  const { alg, hash, ...options } = algorithmOf[kind];
  return {
    alg,
    verify: (data: Buffer, signature: Buffer) => verify(hash, data, { key, ...options }, signature),
  };
}

/** RFC 9421, 3.3: as written there, and not as libraries would take it, too. */
const algorithmOf = {
  Ed25519: { alg: 'ed25519', hash: null },
  'P-256': { alg: 'ecdsa-p256-sha256', hash: 'sha256', dsaEncoding: 'ieee-p1363' },
  'P-384': { alg: 'ecdsa-p384-sha384', hash: 'sha384', dsaEncoding: 'ieee-p1363' },
  RSA: { alg: 'rsa-pss-sha512', hash: 'sha512', padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 },
} as const satisfies Readonly<Record<KeyKind, object>>;
