// The portal: pages for people, at /portal. Everything on them comes from the routes of the API (gateway.ts), with the
// rights of the person who is signed in.
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { RouteDependencies, RouteModule } from '../dependencies.ts';
import type { BuiltinIssuer } from '../auth/issuer.ts';
import { aboutRequest } from '../http/access-log.ts';
import { readLimited } from '../http/input/input.ts';
import type { Router } from '../http/route.ts';
import { actNamed, textIn } from './acts.ts';
import { gatewayFor, Refused } from './gateway.ts';
import { pageHeaders, refusalOf, respond } from './layout.ts';
import { endOfStream, liveStream } from './live.ts';
import { checkMessage } from './pages/check.ts';
import { pages, rawRoutes } from './pages.ts';
import { ownPath, redirect } from './paths.ts';
import { noticeOf, runAct } from './run-act.ts';
import { isOwnForm, isSameOrigin, openSessions, type Session } from './sessions.ts';
import { openSignIn, type SignIn } from './sign-in.ts';
import { script } from './script.ts';
import { style } from './style.ts';
import { textsFor } from './texts.ts';
import type { PageRoute, Reader, Visit } from './visit.ts';

const maxFormBytes = 1_048_576; // a change of the scheme, or a pasted message
const maxSignInBytes = 16_384;
const maxFields = 100; // parsing a form of very many takes seconds
const ampersand = 0x26;

const hidden = { tag: 'Portal', hidden: true, answers: {} } as const;
const pageRoute = (method: 'get' | 'post', path: string) => ({
  ...hidden,
  method,
  path,
  operationId: `portal ${method} ${path}`,
  summary: path,
});

export interface Portal {
  readonly app: OpenAPIHono;
  readonly deps: RouteDependencies;
  readonly sessions: ReturnType<typeof openSessions>;
  readonly signIn: SignIn;
}

/** @param issuer undefined: an external issuer makes the tokens, or AUTH=none */
export function portalRoutes(issuer: BuiltinIssuer | undefined): RouteModule {
  return (router, deps) => {
    const sessions = openSessions(deps.db, deps.config.publicUrl);
    const portal: Portal = {
      app: router.app,
      deps,
      sessions,
      signIn: openSignIn({ app: router.app, config: deps.config, issuer, sessions, logger: deps.logger }),
    };
    addAssets(router);
    addSignIn(router, portal);
    for (const page of pages) addPage(router, portal, page);
    for (const { path, send } of rawRoutes) {
      router.addPublic(pageRoute('get', path), (context) =>
        visiting(portal, context, { path }, async (visit) => withHeaders(await send(visit))),
      );
    }
    addActs(router, portal);
    router.addPublic(pageRoute('get', '/portal/live'), (context) => live(portal, context));
  };
}

function addAssets(router: Router): void {
  const assets = { 'style.css': ['text/css', style], 'script.js': ['text/javascript', script] } as const;
  for (const [name, [type, text]] of Object.entries(assets)) {
    const headers = {
      ...pageHeaders,
      'content-type': `${type}; charset=utf-8`,
      'cache-control': 'max-age=300',
    };
    router.addPublic(pageRoute('get', `/portal/${name}`), () => new Response(text, { headers }));
  }
}

function addSignIn(router: Router, { signIn, sessions, deps }: Portal): void {
  router.addPublic(pageRoute('get', '/portal/sign-in'), (context) => signIn.page(context));
  router.addPublic(pageRoute('post', '/portal/sign-in'), async (context) => {
    if (!isSameOrigin(context)) return forbidden(context);
    const form = await readForm(context, maxSignInBytes);
    return form === undefined ? tooLarge(context) : signIn.submit(context, form);
  });
  if (signIn.begin !== undefined && signIn.complete !== undefined) {
    const { begin, complete } = signIn;
    router.addPublic(pageRoute('get', '/portal/sign-in/begin'), (context) => begin(context));
    router.addPublic(pageRoute('get', '/portal/sign-in/done'), (context) => complete(context));
  }
  router.addPublic(pageRoute('post', '/portal/sign-out'), async (context) => {
    const session = await sessions.current(context, false);
    const form = await readForm(context, maxSignInBytes);
    if (session !== undefined && !isOwnForm(context, session, form?.get('csrf'))) return forbidden(context);
    deps.logger.info({ session: session?.hash.slice(0, 8) }, 'signed out of the portal');
    return redirect('/portal/sign-in', await sessions.end(context));
  });
}

function addPage(router: Router, portal: Portal, page: PageRoute): void {
  router.addPublic(pageRoute('get', page.path), (context) =>
    visiting(portal, context, page, async (visit) => {
      const shown = await page.show(visit);
      const { t, url } = visit;
      return respond(
        {
          t,
          visit,
          ...shown,
          notice: noticeOf(visit),
          live:
            page.isLive &&
            `/portal/live?${new URLSearchParams({ page: `${url.pathname}${url.search}` }).toString()}`,
        },
        shown,
      );
    }),
  );
}

/**
 * Runs a page for the person who is signed in; sends others to sign in.
 * @param known the session, if it was read before
 */
async function visiting(
  portal: Portal,
  context: Context,
  { path }: Pick<PageRoute, 'path'>,
  run: (visit: Visit) => Promise<Response>,
  known?: Session,
): Promise<Response> {
  const session = known ?? (await portal.sessions.current(context, true));
  const url = new URL(context.req.url);
  const to = context.req.method === 'POST' ? '/portal' : `${url.pathname}${url.search}`;
  const toSignIn = () => redirect(`/portal/sign-in?${new URLSearchParams({ to }).toString()}`);
  if (session === undefined) return toSignIn();
  const t = textsFor(context.req.header('accept-language'));
  let visit: Visit | undefined;
  try {
    visit = await visitOf(portal, context, session);
    const answer = await run(visit);
    aboutRequest(context).route = path; // the routes of the API have written theirs
    return answer;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    aboutRequest(context).route = path;
    if (error.status === 401) {
      // the client has ended, or its token: so has its session
      portal.deps.logger.info({ why: error.message }, 'a session of the portal has ended');
      await portal.sessions.end(context);
      return toSignIn();
    }
    return respond(
      {
        t,
        visit,
        title: t.refused.title,
        main: html`<h1>${t.refused.title}</h1>
          ${refusalOf(t, error)}`,
      },
      error,
    );
  }
}

/** @throws Refused if the session counts no more */
async function visitOf({ app, deps, signIn }: Portal, context: Context, session: Session): Promise<Visit> {
  const api = gatewayFor(app, context, await signIn.tokenOf(session));
  const reader = await api.get<Reader>('/whoami');
  const { currencies } = deps.reference.current();
  return {
    reader,
    api,
    url: new URL(context.req.url),
    params: context.req.param(),
    csrf: session.csrf,
    t: textsFor(context.req.header('accept-language')),
    decimalsOf: (currency) => currencies.get(currency)?.decimalPlaces ?? 0,
    temporalUi: deps.config.portal.temporalUi,
    namespace: deps.config.temporal.namespace,
  };
}

function addActs(router: Router, portal: Portal): void {
  addForm(router, portal, '/portal/acts/{act}', runAct);
  addForm(router, portal, '/portal/check', async (visit, form) => {
    const page = await checkMessage(visit, textIn(form, 'message'));
    return respond({ t: visit.t, visit, ...page }, page);
  });
}

/** A form of a person who is signed in. Nothing of it is read before. */
function addForm(
  router: Router,
  portal: Portal,
  path: string,
  run: (visit: Visit, form: FormData) => Promise<Response>,
): void {
  router.addPublic(pageRoute('post', path), async (context) => {
    const session = await portal.sessions.current(context, true);
    if (session === undefined) return redirect('/portal/sign-in');
    const form = await readForm(context, maxFormBytes);
    if (form === undefined) return tooLarge(context);
    if (!isOwnForm(context, session, form.get('csrf'))) return forbidden(context);
    const { act: name = '' } = context.req.param() as { readonly act?: string };
    const route = actNamed(name) === undefined ? path : path.replace('{act}', name);
    return visiting(portal, context, { path: route }, (visit) => run(visit, form), session);
  });
}

const mostStreams = 4; // live pages of one session: a browser has six connections to a host
const streams = new Map<string, number>(); // open ones by session

/** @returns what gives the place back; undefined: all are taken */
function takeStream(session: string): (() => void) | undefined {
  const open = streams.get(session) ?? 0;
  if (open >= mostStreams) return undefined;
  streams.set(session, open + 1);
  return () => {
    const left = (streams.get(session) ?? 1) - 1;
    if (left > 0) streams.set(session, left);
    else streams.delete(session);
  };
}

/** Answers with a stream in any case: a browser gives up on anything else, and would show old figures without a word. */
async function live(portal: Portal, context: Context): Promise<Response> {
  const asked = new URL(ownPath(context.req.query('page') ?? ''), context.req.url);
  const route = pages.flatMap((page) => {
    const params = page.isLive && paramsOf(page.path, asked.pathname);
    return params ? [{ page, params }] : [];
  })[0];
  const session = await portal.sessions.current(context, false);
  if (context.req.method === 'HEAD' || route === undefined || session === undefined)
    return endOfStream('end');
  const giveBack = takeStream(session.hash);
  if (giveBack === undefined) return endOfStream('full');
  const { page, params } = route;
  const render = async (): Promise<string | undefined> => {
    try {
      const current = await portal.sessions.current(context, false);
      if (current === undefined) return undefined;
      const visit = await visitOf(portal, context, current);
      return String(await (await page.show({ ...visit, url: asked, params })).main);
    } catch (error) {
      if (error instanceof Refused && error.status === 401) return undefined; // its client has ended
      throw error;
    } finally {
      aboutRequest(context).route = '/portal/live'; // the routes of the API have written theirs
    }
  };
  const goesOn = portal.deps.readiness?.['process'] ?? (() => Promise.resolve());
  return liveStream(render, goesOn, giveBack);
}

function paramsOf(template: string, path: string): Record<string, string> | undefined {
  const pattern = new RegExp(`^${template.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
  const groups = pattern.exec(path)?.groups;
  return pattern.test(path) ? { ...groups } : undefined;
}

async function readForm(context: Context, maxBytes: number): Promise<FormData | undefined> {
  const bytes = await readLimited(context.req.raw, maxBytes);
  if (bytes === undefined || bytes.filter((byte) => byte === ampersand).length > maxFields) return undefined;
  const form = new FormData();
  for (const [name, value] of new URLSearchParams(Buffer.from(bytes).toString('utf8')))
    form.append(name, value);
  return form;
}

function forbidden(context: Context): Promise<Response> {
  const t = textsFor(context.req.header('accept-language'));
  const error = new Refused(403, { title: t.refused.title, detail: t.refused.otherSite });
  return respond(
    {
      t,
      title: t.refused.title,
      main: html`<h1>${t.refused.title}</h1>
        ${refusalOf(t, error)}
        <p><a href="/portal">${t.words.back}</a></p>`,
    },
    error,
  );
}

function tooLarge(context: Context): Promise<Response> {
  const t = textsFor(context.req.header('accept-language'));
  const error = new Refused(413, { title: t.refused.title, detail: t.refused.tooLarge });
  return respond({ t, title: t.refused.title, main: refusalOf(t, error) }, error);
}

/** What a page hands on from the API: a message, a file. It is never shown as a page of ours. */
function withHeaders(answer: Response): Response {
  const headers = new Headers(answer.headers);
  for (const [name, value] of Object.entries(pageHeaders)) headers.set(name, value);
  headers.set('content-security-policy', "default-src 'none'; sandbox; frame-ancestors 'none'");
  if (!headers.has('content-disposition')) headers.set('content-type', 'text/plain; charset=utf-8');
  return new Response(answer.body, { status: answer.status, headers });
}
