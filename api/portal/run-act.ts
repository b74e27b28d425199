// Runs an act of a person: asks the API, and goes back to the page, or shows the answer.
import { createHash } from 'node:crypto';
import { html } from 'hono/html';
import type { z } from '@hono/zod-openapi';
import type { rateAcceptedSchema, standingsSchema } from '../quotes/rate-schemas.ts';
import type { proposedSchema } from '../scheme/scheme-schemas.ts';
import { actForm, actNamed, acts, readAct, severalBy, textIn, type ActName } from './acts.ts';
import { digestOf, type SchemeObject } from './document-form.ts';
import { badge, facts } from './elements.ts';
import type { Html } from './format.ts';
import { pathWith, Refused } from './gateway.ts';
import { done, refusalOf, respond } from './layout.ts';
import { objectSections } from './pages/changes.ts';
import { ownPath, redirect } from './paths.ts';
import type { Visit } from './visit.ts';

/** Does what a form asks for, and shows the answer or the refusal. */
export async function runAct(visit: Visit, form: FormData): Promise<Response> {
  const { t, params, api } = visit;
  const name = params['act'] ?? '';
  const known = actNamed(name);
  const back = ownPath(textIn(form, 'back'));
  if (known === undefined) throw new Refused(404, { detail: t.refused['404'] });
  const says = t.acts[name as ActName];
  const asked = readAct(known, form);
  const again = () => formAgain({ ...visit, url: new URL(back, visit.url) }, name as ActName, form);
  try {
    if (await isStale(visit, form)) throw new Refused(409, { detail: t.refused.stale });
    if (name === 'rate' && (await isFar(visit, form)))
      throw new Refused(409, { title: t.rates.far, detail: t.rates.sure });
    if ('unreadable' in asked)
      throw new Refused(400, { detail: `${asked.unreadable}: ${t.refused.unreadable}` });
    const answer = await api.post<unknown>(asked.path, asked.bodyText);
    if (known.showsAnswer) {
      const main = resultOf(visit, says, answer as Answered, { back, again });
      return await respond({ t, visit, title: says.label, main, back });
    }
    const next = new URL(back, visit.url);
    next.searchParams.set('done', `${name}.${proofOf(visit, name, next.pathname)}`);
    return redirect(`${next.pathname}${next.search}`);
  } catch (error) {
    if (!(error instanceof Refused) || error.status === 401) throw error;
    const main = html`<h1>${says.label}</h1>
      ${refusalOf(t, error)}${again()}
      <p><a href="${back}">${t.words.back}</a></p>`;
    return respond({ t, visit, title: says.label, main }, error);
  }
}

const mostDistance = 0.1; // as a share of the present rate

/** Whether a new rate is far from the present one, and has not been confirmed: a slip of the finger, perhaps. */
async function isFar({ api }: Visit, form: FormData): Promise<boolean> {
  const entered = textIn(form, 'f.rate');
  if (textIn(form, 'at.sure') === entered) return false;
  const asked = Object.fromEntries(
    acts.rate.fields.map(({ name }) => [name, textIn(form, `f.${name}`).trim()]),
  );
  const { rate = '', ...corridor } = asked;
  const found = await api
    .find<z.output<typeof standingsSchema>>(pathWith('/api/v1/standings', corridor))
    .catch(() => undefined);
  const present = Number(found?.standings[0]?.exchangeRate.toString() ?? 0);
  if (present === 0 || !(Math.abs(Number(rate) / present - 1) > mostDistance)) return false;
  form.set('at.sure', entered); // the form that is shown again confirms this rate only
  return true;
}

/** Whether the object of a form has changed since the form was made: the form has all its members, also those of before. */
async function isStale({ api }: Visit, form: FormData): Promise<boolean> {
  const [was, kind, id] = ['was', 'kind', 'id'].map((name) => textIn(form, `at.${name}`));
  if (!was || !kind || !id) return false;
  const { document } = await api.get<{ readonly document: SchemeObject | null }>(
    `/admin/scheme/${encodeURIComponent(kind)}/${encodeURIComponent(id)}`,
  );
  return digestOf(document) !== was;
}

/** The form with what was entered. */
function formAgain(visit: Visit, name: ActName, form: FormData): Html {
  const values = Object.fromEntries(
    [...form.keys()].map((key) => [key, form.getAll(key).map(String).join(severalBy)]),
  );
  const given = unprefixed('f.', values);
  const fixed = name === 'end' ? { objects: given['objects'] ?? '' } : {};
  return actForm(visit, name, { at: unprefixed('at.', values), given, fixed });
}

interface Proposed extends Partial<Pick<z.output<typeof proposedSchema>, 'objects' | 'findings'>> {
  readonly changeId?: string | null;
  readonly state?: string;
}

interface Answered extends Proposed {
  readonly secret?: string;
  /** The change that a new secret waits for. */
  readonly change?: Proposed;
  readonly marketRate?: z.output<typeof rateAcceptedSchema>['marketRate'];
  readonly notShownBecause?: string;
}

/** The answer to an act, which is shown once; after a preview, with the form, to go on from there. */
function resultOf(
  visit: Visit,
  says: { readonly label: string; readonly done: string },
  answer: Answered,
  { back, again }: { readonly back: string; readonly again: () => Html },
): Html {
  const { t } = visit;
  const { secret, marketRate } = answer;
  const { changeId, state = '', objects = [], findings = [] } = answer.change ?? answer;
  const stands = (t.changes.states as Readonly<Record<string, string>>)[state] ?? '';
  return html`<h1>${says.label}</h1>
    ${findings.some(({ severity }) => severity === 'error') ? html`<div class="notice bad" role="alert">${t.changes.wouldBeRefused}</div>` : done(`${says.done} ${stands}`)}
    ${secret === undefined ? '' : html`<p>${t.changes.secret}: <code>${secret}</code></p>`}
    ${
      marketRate === undefined
        ? ''
        : facts([
            [t.rates.best, String(marketRate.exchangeRate ?? '')],
            [t.rates.notShown, answer.notShownBecause],
          ])
    }
    ${changeId ? html`<p><a href="/portal/changes/${changeId}">${t.changes.see}</a></p>` : ''}
    ${findings.map(({ severity, kind, id, path, says: finding }) => html`<p>${badge(severity)} ${kind} ${id} <code>${path}</code> ${finding}</p>`)}
    ${objectSections(visit, objects)} ${['preview', 'unchanged'].includes(state) ? again() : ''}
    <details ${secret === undefined && state === '' && marketRate === undefined ? html`open` : ''}>
      <summary>${t.words.details}</summary>
      <pre>${JSON.stringify(answer, null, 2)}</pre>
    </details>
    <p><a href="${back}">${t.words.back}</a></p>`;
}

const unprefixed = (prefix: string, values: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) =>
      key.startsWith(prefix) ? [[key.slice(prefix.length), value]] : [],
    ),
  );

/** Says that an act was done; undefined for a link that somebody else made. */
export function noticeOf(visit: Visit): Html | undefined {
  const { t, url } = visit;
  const [name = '', proof] = (url.searchParams.get('done') ?? '').split('.');
  const isOwn = actNamed(name) !== undefined && proof === proofOf(visit, name, url.pathname);
  return isOwn ? done(t.acts[name as ActName].done) : undefined;
}

/** Only a session that did the act at this address has it. */
const proofOf = ({ csrf }: Visit, name: string, pathname: string): string =>
  createHash('sha256').update(`done ${csrf} ${name} ${pathname}`).digest('base64url').slice(0, 16);
