// Who is signed in. The browser has a random id in a cookie; the database has its hash, and the claims or the token of
// the person under a key that is made from the id.
import { createHash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { generateCookie, getCookie } from 'hono/cookie';
import { EncryptJWT, jwtDecrypt } from 'jose';
import { endSession, findSession, startSession } from '../../db/keys/portal-sessions.ts';
import type { Db } from '../../db/pool/connection.ts';
import type { CallerClaims } from '../auth/claims.ts';

/** Seconds after which a session ends, whatever its reader does: a working day. */
const lifetimeSeconds = 43_200;

/** What a session proves: claims that the built-in issuer vouches for, a token of the scheme's issuer, or a bare name. */
export type Proof =
  | { readonly kind: 'claims'; readonly claims: CallerClaims }
  | { readonly kind: 'token'; readonly token: string; readonly endsAtMs: number }
  | { readonly kind: 'name'; readonly name: string };

export interface Session {
  readonly hash: string;
  readonly proof: Proof;
  /** Each form repeats it, so that another site cannot send one. */
  readonly csrf: string;
}

export interface Sessions {
  /** @param touches false for a page that refreshes itself */
  current(context: Context, touches: boolean): Promise<Session | undefined>;
  /** Ends the session of the browser, if it has one, and starts another. @returns the cookie */
  start(context: Context, proof: Proof): Promise<string>;
  /** @returns the cookie that removes the session from the browser */
  end(context: Context): Promise<string>;
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url');
const keyOf = (id: string) => new Uint8Array(hkdfSync('sha256', id, 'isthmus', 'portal session', 32));
const csrfOf = (id: string) => hashOf(`csrf ${id}`);

/** A cookie that scripts cannot read, and that no sibling domain can plant. */
export function cookieOf(
  publicUrl: string,
  plainName: string,
): { readonly name: string; readonly cookie: (value: string, maxAge: number) => string } {
  // Browsers drop a Secure cookie of plain http. The api serves plain http on loopback alone (PUBLIC_URL).
  const isSecure = publicUrl.startsWith('https:');
  const name = isSecure ? `__Host-${plainName}` : plainName;
  return {
    name,
    cookie: (value, maxAge) =>
      generateCookie(name, value, { path: '/', httpOnly: true, secure: isSecure, sameSite: 'Lax', maxAge }),
  };
}

export function openSessions(db: Db, publicUrl: string): Sessions {
  const { name, cookie } = cookieOf(publicUrl, 'isthmus');

  async function forget(context: Context): Promise<void> {
    const id = getCookie(context, name);
    if (id !== undefined) await endSession(db, hashOf(id));
  }

  return {
    async current(context, touches) {
      const id = getCookie(context, name);
      if (id === undefined || id.length > 100) return undefined;
      const hash = hashOf(id);
      const stored = await findSession(db, hash, touches);
      if (stored === undefined) return undefined;
      const { payload } = await jwtDecrypt(stored.content, keyOf(id));
      return { hash, proof: payload['proof'] as Proof, csrf: csrfOf(id) };
    },
    async start(context, proof) {
      await forget(context);
      const id = randomBytes(32).toString('base64url');
      const content = await new EncryptJWT({ proof })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .encrypt(keyOf(id));
      await startSession(
        db,
        { sessionHash: hashOf(id), clientId: clientOf(proof), content },
        secondsOf(proof),
      );
      return cookie(id, lifetimeSeconds);
    },
    async end(context) {
      await forget(context);
      return cookie('', 0);
    },
  };
}

function clientOf(proof: Proof): string {
  if (proof.kind === 'claims') return proof.claims.clientId;
  return proof.kind === 'name' ? proof.name : '(token)';
}

/** A session with a token of the scheme's issuer ends with that token. */
function secondsOf(proof: Proof): number {
  return proof.kind === 'token'
    ? Math.max(0, Math.min(lifetimeSeconds, Math.floor((proof.endsAtMs - Date.now()) / 1_000)))
    : lifetimeSeconds;
}

/** Whether a form came from a page of this portal, in this session. */
export function isOwnForm(context: Context, session: Session, given: unknown): boolean {
  return typeof given === 'string' && isSameOrigin(context) && isEqual(given, session.csrf);
}

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Browsers name the origin of every form. */
export function isSameOrigin({ req }: Context): boolean {
  const origin = req.header('origin');
  const site = req.header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin') return false;
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === req.header('host');
}
