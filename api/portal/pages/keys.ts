// The keys that sign what we send, and the tokens of the built-in issuer.
import { html } from 'hono/html';
import type { z } from '@hono/zod-openapi';
import type { keySchema } from '../../keys/key-schemas.ts';
import { actForm, type ActName } from '../acts.ts';
import { badge, section, table } from '../elements.ts';
import { time, type Html } from '../format.ts';
import type { Page, Visit } from '../visit.ts';

type Key = z.output<typeof keySchema>;

export async function keysPage(visit: Visit): Promise<Page> {
  const { t, api } = visit;
  const [delivery, issuer] = await Promise.all([
    api.get<readonly Key[]>('/admin/delivery-keys'),
    api.find<readonly Key[]>('/admin/issuer-keys'), // there are none with an external issuer
  ]);
  const main = html`<h1>${t.nav.keys}</h1>
    ${keysOf(visit, t.keys.delivery, delivery, 'rotateDeliveryKey')}
    ${issuer === undefined ? '' : keysOf(visit, t.keys.issuer, issuer, 'rotateIssuerKey')}`;
  return { title: t.nav.keys, main };
}

function keysOf(visit: Visit, title: string, keys: readonly Key[], rotate: ActName): Html {
  const { t, url } = visit;
  return section(
    title,
    html`${table(
      [
        { title: t.keys.keyId, cell: ({ keyId }) => html`<code>${keyId}</code>` },
        { title: t.words.state, cell: ({ state }) => badge(state) },
        { title: t.keys.from, cell: ({ signsFrom }) => time(signsFrom) },
        { title: t.keys.until, cell: ({ signsUntil }) => time(signsUntil) },
        { title: t.words.by, cell: ({ madeBy }) => madeBy },
        { title: t.words.reason, cell: ({ because }) => because },
      ],
      keys,
      { t, url, caption: title, empty: t.keys.empty },
    )}${actForm(visit, rotate, { isFolded: true })}`,
  );
}
