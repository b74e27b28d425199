// The frame of every page of the portal.
import type { Context } from 'hono';
import { html } from 'hono/html';
import { baseHeaders } from '../http/response.ts';
import type { Html } from './format.ts';
import type { Refused } from './gateway.ts';
import { textsFor, type Texts } from './texts.ts';
import type { Page, Reader, Visit } from './visit.ts';

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const pageHeaders = {
  ...baseHeaders,
  // forms name their origin, which `no-referrer` would hide from us
  'referrer-policy': 'same-origin',
  'content-security-policy': policy,
  'cache-control': 'no-store',
} as const;

interface Frame {
  readonly t: Texts;
  readonly title: string;
  readonly main: Html;
  /** Undefined: nobody is signed in. */
  readonly visit?: Visit | undefined;
  /** Where a reload leads: the page is the answer to a form, which must not be sent again. */
  readonly back?: string | undefined;
  /** The address of the stream that keeps it current. */
  readonly live?: string | undefined;
  readonly notice?: Html | undefined;
}

async function document({ t, title, main, visit, live, notice, back }: Frame): Promise<string> {
  const page = await html`<!doctype html>
    <html lang="${t.language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Isthmus</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/portal/style.css" />
        <script src="/portal/script.js" defer></script>
      </head>
      <body>
        <a class="skip" href="#main">${t.words.skip}</a>
        <header class="top">
          <strong><a href="/portal">Isthmus</a></strong>
          ${visit === undefined ? '' : header(visit)}
        </header>
        ${notice ?? ''}
        <main
          id="main"
          tabindex="-1"
          ${live === undefined ? '' : html`data-live="${live}"`}
          ${back === undefined ? '' : html`data-back="${back}"`}
        >
          ${main}
        </main>
        <footer>
          ${live === undefined ? '' : html`<p id="live" hidden role="status" data-updated="${t.words.updated}" data-stale="${t.words.stale}">${t.words.live}</p>`}
        </footer>
      </body>
    </html>`;
  return String(page);
}

function header({ t, reader, url, csrf }: Visit): Html {
  return html`<nav aria-label="${t.words.pages}">
      ${linksOf(reader, t).map(
        ([href, label]) =>
          html`<a href="${href}" ${isAt(url, href) ? html`aria-current="page"` : ''}>${label}</a> `,
      )}
    </nav>
    <div class="who">
      <span>${reader.clientId} (${t.roles[reader.role]})</span>
      <form class="inline" method="post" action="/portal/sign-out">
        <input type="hidden" name="csrf" value="${csrf}" /><button class="plain">${t.signIn.out}</button>
      </form>
    </div>`;
}

const isAt = ({ pathname }: URL, href: string) =>
  href === '/portal' ? pathname === href : pathname === href || pathname.startsWith(`${href}/`);

function linksOf({ role }: Reader, { nav }: Texts): readonly (readonly [string, string])[] {
  const all = {
    home: ['/portal', nav.home],
    payments: ['/portal/payments', nav.payments],
    submissions: ['/portal/submissions', nav.submissions],
    alerts: ['/portal/alerts', nav.alerts],
    parties: ['/portal/parties', nav.parties],
    quotes: ['/portal/quotes', nav.quotes],
    rates: ['/portal/rates', nav.rates],
    books: ['/portal/books', nav.books],
    check: ['/portal/check', nav.check],
    scheme: ['/portal/scheme', nav.scheme],
    changes: ['/portal/changes', nav.changes],
    keys: ['/portal/keys', nav.keys],
  } as const;
  switch (role) {
    case 'psp':
      return [all.home, all.payments, all.quotes, all.books, all.check];
    case 'fxp':
      return [all.home, all.rates, all.books];
    case 'ipso':
      return [all.home, all.payments, all.submissions, all.books, all.check];
    case 'operator':
    case 'all':
      return [
        all.home,
        all.payments,
        all.submissions,
        all.alerts,
        all.parties,
        all.books,
        all.scheme,
        all.changes,
        all.keys,
      ];
  }
}

/** A refusal of the API, in its own words. */
export function refusalOf(t: Texts, { status, refusal }: Refused): Html {
  const { title, detail, errors = [], ruleId, error_description } = refusal;
  return html`<div class="notice bad" role="alert">
    <strong>${title ?? (status === 404 ? t.refused['404'] : t.refused.other)}</strong>
    <p>${detail ?? error_description ?? ''}</p>
    ${
      errors.length < 2
        ? ''
        : html`<ul>
            ${errors.map((one) => html`<li><code>${one.pointer ?? one.parameter ?? ''}</code> ${one.detail}</li>`)}
          </ul>`
    }
    ${ruleId === undefined ? '' : html`<p><a href="/portal/rules/${ruleId}">${t.words.rule} ${ruleId}</a></p>`}
  </div>`;
}

export async function respond(
  frame: Frame,
  { status = 200 }: Pick<Page, 'status'> = {},
  cookie?: string,
): Promise<Response> {
  return new Response(await document(frame), {
    status,
    headers: {
      ...pageHeaders,
      'content-type': 'text/html; charset=utf-8',
      ...(cookie !== undefined && { 'set-cookie': cookie }),
    },
  });
}

export const done = (text: string): Html => html`<div class="notice good" role="status">${text}</div>`;

/** A page for an address of the portal that leads nowhere, or not by this method. */
export async function unknownPage(context: Context, status: 404 | 405, allow: string): Promise<Response> {
  const t = textsFor(context.req.header('accept-language'));
  const title = t.refused['404'];
  const main = html`<h1>${title}</h1>
    <p><a href="/portal">${t.nav.home}</a></p>`;
  const page = await respond({ t, title, main }, { status });
  if (status === 405) page.headers.set('allow', allow);
  return page;
}
