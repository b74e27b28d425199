// Checks the signature of a message (RFC 9421) if its operator requires signatures. A thief with a stolen
// token, or with control over a proxy, then cannot send messages. The signature covers the digest of the
// body, so it is checked before the body is read. A sender without a key therefore uses up no resources of
// the operator. Each signature is valid once. The check marks it as used, even if the message is refused
// later, so that nobody else can send it.
import { constants, createHash, timingSafeEqual, verify } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import type { Context } from 'hono';
import type { Logger } from 'pino';
import { operatorOf } from '../../core/deliveries/receiver.ts';
import type { ReferenceData } from '../../core/scheme/reference.ts';
import {
  publicComponents,
  signatureToleranceSeconds,
  signedComponents,
} from '../../core/deliveries/http-signature.ts';
import type { Db } from '../../db/pool/connection.ts';
import { keysOfParty, lastingKeysOfParty, type PartyKey } from '../../db/keys/party-keys.ts';
import { readPublicKey, type KeyKind } from '../../db/keys/public-key.ts';
import { useAssertion } from '../../db/keys/used-assertions.ts';
import { aboutRequest } from '../http/access-log.ts';
import type { SignatureCheck } from '../http/caller.ts';
import { clientAddress, waiting } from '../http/client.ts';
import { isProblem, problem, type Problem } from '../http/problems/problem.ts';
import { noteSigner } from '../http/problems/signer.ts';
import { createTurns, turnKinds, type WaitingClient } from '../http/limits/turns.ts';
import type { SignatureCounts } from './refused-signatures.ts';
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
  /** Logs why a message was refused, because nobody may be watching the program that sent it. */
  readonly logger: Pick<Logger, 'warn'>;
  /**
   * Host of the published address of this service, with the port if it is not the default. Absent if no
   * address is published.
   */
  readonly authority?: string | undefined;
  /** Trusted proxies, whose headers state the original address of a message. */
  readonly proxies: BlockList;
  /** Counts refused messages per payment system. */
  readonly metrics: { refusedSignature(clearingSystemId: string): void };
  /** Counts them per day for the payment system, with the reason for the last one. */
  readonly refused: Pick<SignatureCounts, 'note'>;
}

/** Describes the required signature to the sender of a refused message. */
function wantedOf(authority: string | undefined) {
  const components = authority === undefined ? signedComponents : publicComponents;
  const names = components.map((name) => `"${name}"`);
  const host = authority === undefined ? '' : ` "@authority" is ${authority}.`;
  return {
    inWords: `Sign each message anew, after RFC 9421: over ${names.join(', ')} (sha-256), with created, keyid and a nonce that is used once.${host}`,
    header: `sig=(${names.join(' ')});created;keyid;nonce`,
  };
}

export function createSignatureCheck(deps: SignatureDependencies): SignatureCheck {
  const { authority } = deps;
  const wanted = wantedOf(authority);
  const refusing = (context: Context, system: string) => (why: string) => {
    const { requestId, client, route } = aboutRequest(context);
    deps.logger.warn({ requestId, client, route, why }, 'a message was refused for its signature');
    deps.metrics.refusedSignature(system);
    deps.refused.note(system, why);
    return problem('signature-refused', {
      detail: `${why} ${wanted.inWords}`,
      headers: { 'accept-signature': wanted.header },
    });
  };
  const inTurn = signatureTurns();
  return async (context, caller) => {
    const { clearingSystemId: system = '' } = caller;
    const hasToSign = () => operatorOf(deps.reference(), system)?.signsMessages === true;
    const refuse = refusing(context, system);
    if (!hasToSign()) return () => Promise.resolve(hasToSign() ? refuse(notLookedAt) : undefined);
    noteSigner(context);
    const head = { ...headOf(context), authority };
    const digest = digestIn(head.headers);
    const read = readable(signaturesOf(head, deps.clock()));
    if (typeof read === 'string') return refuse(read);
    if (typeof digest === 'string') return refuse(digest);
    const from = { system, address: clientAddress(context, deps.proxies) };
    const good = await inTurn(() => goodOf(deps, system, read), from, waiting(context));
    if (isProblem(good)) return { ...good, detail: noTurn };
    if ('why' in good) return refuse(good.why);
    return async (body) => {
      if (!timingSafeEqual(digest, createHash('sha256').update(body).digest())) {
        return refuse('Content-Digest is not the SHA-256 of the body.');
      }
      return (await countStill(deps.db, system, good.signed)) ? undefined : refuse(noKey);
    };
  };
}

/**
 * Someone with a stolen token may send messages that the operator did not sign. So a process verifies few
 * signatures of one payment system at once, and fewer from one address. A thief with many addresses can still
 * delay the operator.
 * @internal exported for tests
 */
export function signatureTurns() {
  const ofAddress = createTurns(turnKinds.stranger);
  const ofSystem = createTurns(turnKinds.signature);
  return <Judged>(
    verify: () => Promise<Judged>,
    { system, address }: { readonly system: string; readonly address: string },
    client: WaitingClient,
  ): Promise<Judged | Problem> =>
    ofAddress.take(`${system} ${address}`, () => ofSystem.take(system, verify, client), client);
}

const notLookedAt = 'The operator of this payment system has its messages signed since this one began.';
/** Warns that the signature can still be replayed, because it is not marked as used. */
const noTurn =
  'More signatures came in the name of this payment system than can be verified in time. Yours was not looked at, and nothing was stored, but until it ends it counts for whoever has seen it: send the same bytes again after the number of seconds in Retry-After.';
const usedBefore =
  'A signature with this nonce was used before. If you do not know whether the message was taken, sign the same bytes anew: they are answered as the first time.';

interface Signed {
  readonly input: SignatureInput;
  readonly key: PartyKey;
}

/** The client id under which a used nonce is stored (db/keys/used-assertions.ts). */
const userOf = ({ keyId }: SignatureInput) => `signature ${keyId}`;

/** Whether one of the keys is still valid after the body has arrived, which may take up to 30 s. */
async function countStill(db: Db, system: string, signed: readonly Signed[]): Promise<boolean> {
  const keys = await keysOfParty(db, { clearingSystemId: system });
  return signed.some(({ key }) => keys.some(({ credential }) => credential === key.credential));
}

/**
 * Marks all signatures as used, because an observer could send the message with an unused one.
 * @returns whether all were new; one key may have signed several times with the same nonce
 */
async function useAll(db: Db, signed: readonly Signed[]): Promise<boolean> {
  const once = new Map(signed.map(({ input }) => [JSON.stringify([input.keyId, input.nonce]), input]));
  let areNew = true;
  for (const input of once.values()) {
    const endsAtMs = (input.created + 2 * signatureToleranceSeconds) * 1_000;
    const isNew = await useAssertion(db, { clientId: userOf(input), jti: input.nonce, endsAtMs });
    areNew &&= isNew;
  }
  return areNew;
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

/**
 * Returns the signatures that may be valid. If there are none, returns the fault of the one that came
 * closest.
 */
function readable(signatures: ReturnType<typeof signaturesOf>): readonly (SignatureInput | Fault)[] | string {
  return typeof signatures === 'string' || signatures.some((one) => 'base' in one)
    ? signatures
    : nearest(signatures);
}

const nearest = (all: readonly (object | Fault)[]) =>
  all.filter((one): one is Fault => 'why' in one).sort((one, other) => other.step - one.step)[0]?.why ??
  'Signature-Input has no signature.';

/**
 * Returns the valid, unused signatures by keys of the operator, or the reason why there are none. Marks them
 * as used, together with those that would become valid later.
 */
async function goodOf(
  { db }: SignatureDependencies,
  system: string,
  signatures: readonly (SignatureInput | Fault)[],
): Promise<{ readonly signed: readonly Signed[] } | { readonly why: string }> {
  const keys = await lastingKeysOfParty(db, { clearingSystemId: system });
  const judged = await Promise.all(signatures.map((one) => judge(one, keys)));
  if (!(await useAll(db, judged.filter(isSigned)))) return { why: usedBefore };
  const signed = judged.filter((one): one is Signed => !('why' in one));
  return signed.length > 0 ? { signed } : { why: nearest(judged) };
}

const isSigned = (one: Signed | Fault): one is Signed => 'key' in one;
const noKey = 'No key of this operator that counts now has the keyid of the signature.';

type LastingKey = Awaited<ReturnType<typeof lastingKeysOfParty>>[number];

/**
 * Verifies one signature. The result is both `Signed` and `Fault` if the signature is genuine but not valid
 * yet.
 */
async function judge(
  one: SignatureInput | Fault,
  keys: readonly LastingKey[],
): Promise<Signed | Fault | (Signed & Fault)> {
  if ('why' in one) return one;
  const key = keys.find(({ keyId }) => keyId === one.keyId);
  const by = key && verifierOf(key);
  if (key === undefined || by === undefined) return { step: 3, why: noKey };
  if (one.alg !== undefined && one.alg !== by.alg) {
    return {
      step: 4,
      why: `alg of the signature is not ${by.alg}, which its key is for; it may be left out.`,
    };
  }
  if (!(await by.verify(one.base, one.signature))) return { step: 5, why: notGood(by.alg) };
  const early = key.counts ? one.early : noKey;
  return { input: one, key, ...(early !== undefined && { step: 6, why: early }) };
}

const notGood = (alg: string) =>
  'The signature does not fit what came, under the key of its keyid: another key signed, or something else was signed than the method, path and query of the request line and these headers.' +
  (alg.startsWith('ecdsa') ? ' By ECDSA it is r and s side by side, not DER.' : '');

/**
 * Returns the verifier for a key, or undefined if the registered key is unusable. The kind of key determines
 * the algorithm; the message never does.
 */
function verifierOf({ jwk }: PartyKey) {
  const read = readPublicKey(jwk);
  if (!read.ok) return undefined;
  const { kind, key } = read.value;
  const { alg, hash, ...options } = algorithmOf[kind];
  return {
    alg,
    /** Runs in the thread pool, because P-384 takes milliseconds. */
    verify: (data: Buffer, signature: Buffer) =>
      new Promise<boolean>((resolve, reject) => {
        verify(hash, data, { key, ...options }, signature, (error, isGood) => {
          if (error === null) resolve(isGood);
          else reject(error);
        });
      }),
  };
}

/** The algorithms exactly as in RFC 9421, section 3.3; libraries would accept other variants too. */
const algorithmOf = {
  Ed25519: { alg: 'ed25519', hash: null },
  'P-256': { alg: 'ecdsa-p256-sha256', hash: 'sha256', dsaEncoding: 'ieee-p1363' },
  'P-384': { alg: 'ecdsa-p384-sha384', hash: 'sha384', dsaEncoding: 'ieee-p1363' },
  RSA: { alg: 'rsa-pss-sha512', hash: 'sha512', padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 },
} as const satisfies Readonly<Record<KeyKind, object>>;
