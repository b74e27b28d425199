// How people sign in: with the id and secret of a client (AUTH=builtin), at the issuer of the scheme (AUTH=jwt), or by a
// bare name (AUTH=none, local experiments only).
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { html } from 'hono/html';
import { decodeJwt } from 'jose';
import type { Logger } from 'pino';
import type { ApiConfig } from '../../core/settings/config.ts';
import type { BuiltinIssuer } from '../auth/issuer.ts';
import type { CallerClaims } from '../auth/claims.ts';
import type { Html } from './format.ts';
import { gatewayFor, readAnswer, Refused } from './gateway.ts';
import { refusalOf, respond } from './layout.ts';
import { ownPath, redirect } from './paths.ts';
import { textIn } from './acts.ts';
import { openSchemeIssuer } from './scheme-issuer.ts';
import type { Proof, Session, Sessions } from './sessions.ts';
import { textsFor } from './texts.ts';

export interface SignIn {
  page(context: Context): Promise<Response>;
  submit(context: Context, form: FormData): Promise<Response>;
  /** Undefined: there is no issuer to go to. */
  readonly begin?: (context: Context) => Promise<Response>;
  readonly complete?: (context: Context) => Promise<Response>;
  /** The bearer token of a session; the API judges it on every page. */
  tokenOf(session: Session): Promise<string>;
}

export interface SignInParts {
  readonly app: OpenAPIHono;
  readonly config: ApiConfig;
  readonly issuer: BuiltinIssuer | undefined;
  readonly sessions: Sessions;
  readonly logger: Logger;
}

export function openSignIn(parts: SignInParts): SignIn {
  const { issuer, sessions, config, logger } = parts;
  const tokens = new Map<string, { readonly token: string; readonly untilMs: number }>();

  const begun: Begin = async (context, proof, to) => {
    const cookie = await sessions.start(context, proof);
    logger.info({ proof: proof.kind }, 'signed in to the portal');
    return redirect(ownPath(to), cookie);
  };

  /** One token serves a session for some minutes, so that the API need not verify a new one for each page. */
  async function builtinToken(hash: string, claims: CallerClaims): Promise<string> {
    const known = tokens.get(hash);
    if (known !== undefined && known.untilMs > Date.now()) return known.token;
    if (issuer === undefined) throw new Refused(401, {}); // the installation has changed to another issuer
    const token = await issuer.issue(claims);
    if (tokens.size >= maxTokens) tokens.clear();
    tokens.set(hash, { token, untilMs: Date.now() + tokenMs });
    return token;
  }

  return {
    page: (context) => signInPage(context, parts),
    async submit(context, form) {
      const to = textIn(form, 'to');
      if (config.auth.kind === 'none') {
        const name = textIn(form, 'client_id').trim() || 'operator';
        if (/^[!-~]+$/.test(name)) return begun(context, { kind: 'name', name }, to);
        const { badName } = textsFor(context.req.header('accept-language')).signIn;
        return signInPage(context, parts, {
          error: new Refused(400, { detail: badName }),
          to,
          clientId: name,
        });
      }
      if (issuer === undefined) return redirect('/portal/sign-in');
      try {
        const claims = await builtinClaims(context, form, parts);
        return await begun(context, { kind: 'claims', claims }, to);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        return signInPage(context, parts, { error, to, clientId: textIn(form, 'client_id') });
      }
    },
    async tokenOf({ hash, proof }) {
      if (proof.kind === 'claims') return builtinToken(hash, proof.claims);
      return proof.kind === 'token' ? proof.token : proof.name;
    },
    ...(config.auth.kind === 'jwt' && atIssuer(parts, begun)),
  };
}

/** What goes wrong at the issuer is told on the page, without its details. */
function atIssuer(parts: SignInParts, begun: Begin): Pick<SignIn, 'begin' | 'complete'> {
  const issuer = openSchemeIssuer(parts.config, begun);
  const guarded = (run: (context: Context) => Promise<Response>) => (context: Context) =>
    run(context).catch((error: unknown) => {
      parts.logger.warn({ err: error }, 'a sign-in at the issuer failed');
      const { failed } = textsFor(context.req.header('accept-language')).signIn;
      return signInPage(context, parts, {
        error: new Refused(502, { detail: failed }),
        to: '/portal',
        clientId: '',
      });
    });
  return {
    begin: guarded((context) => issuer.begin(context)),
    complete: guarded((context) => issuer.complete(context)),
  };
}

type Begin = (context: Context, proof: Proof, to: string) => Promise<Response>;

const tokenMs = 300_000; // far less than a token lives
const maxTokens = 10_000;

/** Asks the token endpoint, so that a wrong secret is refused, counted and told of as anywhere else. */
async function builtinClaims(context: Context, form: FormData, { app }: SignInParts): Promise<CallerClaims> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: textIn(form, 'client_id').trim(),
    client_secret: textIn(form, 'client_secret'),
  });
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    origin: context.req.header('origin') ?? '',
    'sec-fetch-site': 'same-origin',
  };
  const answer = await gatewayFor(app, context, undefined).send('/oauth/token', {
    method: 'POST',
    headers,
    body: body.toString(),
  });
  const { access_token } = await readAnswer<{ readonly access_token: string }>(answer);
  const { client_id, roles, institution_id, clearing_system_id, credential_id } = decodeJwt(access_token);
  return {
    clientId: client_id as string,
    role: (roles as readonly CallerClaims['role'][])[0] as CallerClaims['role'],
    institutionId: institution_id as string | undefined,
    clearingSystemId: clearing_system_id as string | undefined,
    credential: credential_id as string | undefined,
  };
}

interface Again {
  readonly error: Refused;
  readonly to: string;
  readonly clientId: string;
}

function signInPage(context: Context, { config }: SignInParts, again?: Again): Promise<Response> {
  const t = textsFor(context.req.header('accept-language'));
  const to = again?.to ?? context.req.query('to') ?? '/portal';
  const { auth, demo } = config;
  const target = html`<input type="hidden" name="to" value="${to}" />`;
  const form =
    auth.kind === 'jwt'
      ? config.portal.clientId === undefined
        ? html`<p>${t.signIn.notSet}</p>`
        : html`<p>
            <a href="/portal/sign-in/begin?${new URLSearchParams({ to }).toString()}">${t.signIn.atIssuer}</a>
          </p>`
      : html`<form method="post" action="/portal/sign-in">
          ${target}
          <label for="client_id">${t.signIn.clientId}</label>
          <input
            id="client_id"
            name="client_id"
            value="${again?.clientId ?? ''}"
            autocomplete="username"
            required
          />
          ${
            auth.kind === 'none'
              ? html`<p class="hint">${t.signIn.anyName}</p>`
              : html`<label for="client_secret">${t.signIn.secret}</label>
                  <input
                    id="client_secret"
                    name="client_secret"
                    type="password"
                    autocomplete="current-password"
                    required
                  />`
          }
          <button>${t.signIn.in}</button>
        </form>`;
  const main = html`<div class="sign-in">
    <h1>${t.signIn.title}</h1>
    ${again === undefined ? '' : refusalOf(t, again.error)}
    <section>${form}</section>
    ${
      demo && auth.kind === 'builtin'
        ? html`<section>
            <h2>${t.signIn.demo}</h2>
            ${Object.entries(t.signIn.demoRoles).map(([id, says]) => demoForm({ id, says, target }))}
          </section>`
        : ''
    }
  </div>`;
  return respond(
    { t, title: t.signIn.title, main },
    again === undefined ? {} : { status: again.error.status },
  );
}

/** The demo's secrets are public, and accepted from this machine alone. */
const demoForm = ({ id, says, target }: { id: string; says: string; target: Html }): Html =>
  html`<form method="post" action="/portal/sign-in">
    ${target}<input type="hidden" name="client_id" value="${id}" /><input
      type="hidden"
      name="client_secret"
      value="demo-${id}"
    /><button class="plain">${says} (${id})</button>
  </form>`;
