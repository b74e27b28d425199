// The health of parties, by our sends to them; operators pause and resume them here.
import { html } from 'hono/html';
import type { z } from '@hono/zod-openapi';
import type { partiesSchema } from '../../operations/parties.ts';
import type { recordedPauseSchema } from '../../operations/pauses.ts';
import { actForm } from '../acts.ts';
import { badge, facts, link, section, table, uetrLink } from '../elements.ts';
import { duration, time, type Html } from '../format.ts';
import type { Texts } from '../texts.ts';
import { pathWith } from '../gateway.ts';
import type { Page, Visit } from '../visit.ts';

export type Parties = z.output<typeof partiesSchema>;
type Party = Parties['parties'][number];
type Kind = Party['kinds'][number];
type RecordedPause = z.output<typeof recordedPauseSchema>;

export async function partiesPage(visit: Visit): Promise<Page> {
  const { t, api, url } = visit;
  const [parties, pauses] = await Promise.all([
    api.get<Parties>('/parties?minutes=60'),
    api.get<readonly RecordedPause[]>('/pauses?limit=20'),
  ]);
  const main = html`<h1>${t.nav.parties}</h1>
    ${section(
      t.parties.now,
      facts([
        [t.parties.engine, parties.engineAnswers ? t.words.yes : t.words.no],
        [t.parties.workers, parties.workers],
        [t.parties.codeSets, `${parties.codeSets.edition} (${parties.codeSets.published})`],
      ]),
    )}
    ${section(t.home.parties, partyTable(visit, parties))}
    ${parties.parties.map((party) => section(party.party, html`${healthOf(visit, party)}${linksOf(visit, party.party)}${pauseForms(visit, party.party, parties)}`, `party-${party.party}`))}
    ${section(
      t.parties.receivers,
      table(
        [
          { title: t.words.address, cell: ({ receiver }) => receiver },
          { title: t.nav.parties, cell: ({ parties: whose }) => whose.join(', ') },
          {
            title: t.parties.breaker,
            cell: ({ open, probing }) =>
              open > 0 ? badge('open') : probing > 0 ? badge('probing') : badge('closed'),
          },
          { title: t.parties.failures, cell: ({ failuresInARow }) => failuresInARow, isNumber: true },
          { title: t.parties.underWay, cell: ({ sendsUnderWay }) => sendsUnderWay, isNumber: true },
        ],
        parties.receivers,
        { t, url, caption: t.parties.receivers, empty: t.parties.noReceivers },
      ),
    )}
    ${section(
      t.parties.pauses,
      table(
        [
          { title: t.words.party, cell: ({ party }) => party },
          { title: t.words.by, cell: ({ by }) => by },
          { title: t.words.at, cell: ({ at }) => time(at) },
          { title: t.words.reason, cell: ({ because }) => because },
          { title: t.parties.resumed, cell: ({ resumedAt }) => time(resumedAt) },
          { title: t.parties.resumedBy, cell: ({ resumedBy }) => resumedBy },
          { title: t.parties.resumedBecause, cell: ({ resumedBecause }) => resumedBecause },
        ],
        pauses,
        { t, url, caption: t.parties.pauses, empty: t.parties.noPauses },
      ),
    )}`;
  return { title: t.nav.parties, main };
}

const linksOf = ({ t }: Visit, party: string): Html =>
  html`<p>
    ${link(pathWith('/portal/payments', { party }), t.nav.payments)}
    ${link(pathWith('/portal/alerts', { party }), t.nav.alerts)}
  </p>`;

function pauseForms(visit: Visit, party: string, { paused }: Parties): Html {
  const at = { party };
  const isPaused = paused.some((one) => one.party === party);
  return isPaused ? actForm(visit, 'resume', { at }) : actForm(visit, 'pause', { at, isFolded: true });
}

/** Parties that fail, that are paused, or to which nothing is sent for now. */
export const inTrouble = ({ parties, paused, receivers }: Parties): readonly Party[] =>
  parties.filter(
    ({ party, kinds }) =>
      kinds.some(({ state }) => state !== 'well') ||
      paused.some((one) => one.party === party) ||
      receivers.some((one) => one.open > 0 && one.parties.includes(party)),
  );

/** One line for each party. */
export function partyTable({ t, url }: Visit, { parties, paused, receivers }: Parties): Html {
  const worst = ({ kinds }: Party) =>
    kinds.reduce<Kind['state']>(
      (state, kind) => (rank[kind.state] > rank[state] ? kind.state : state),
      'well',
    );
  return table(
    [
      {
        key: 'party',
        title: t.words.party,
        cell: ({ party }) => html`<a href="/portal/parties#party-${party}">${party}</a>`,
        by: ({ party }) => party,
      },
      {
        key: 'state',
        title: t.words.state,
        cell: (party) => (party.kinds.length === 0 ? '' : badge(worst(party))),
        by: (party) => rank[worst(party)],
      },
      {
        title: t.parties.breaker,
        cell: ({ party }) =>
          receivers.some((one) => one.parties.includes(party) && one.open > 0) ? badge('open') : '',
      },
      {
        title: t.parties.pausedShort,
        cell: ({ party }) => (paused.some((one) => one.party === party) ? badge('paused') : ''),
      },
      {
        key: 'p95',
        title: 'p95',
        cell: ({ kinds }) => duration(p95Of(kinds)),
        by: ({ kinds }) => p95Of(kinds) ?? 0,
        isNumber: true,
      },
      {
        title: t.parties.lastTaken,
        cell: ({ kinds }) =>
          time(
            kinds
              .map((kind) => kind.lastTakenAt ?? '')
              .sort()
              .at(-1) || null,
          ),
      },
      { key: 'waiting', title: t.home.undecided, cell: ({ waiting }) => waiting, isNumber: true },
      {
        title: t.parties.owed,
        cell: ({ kinds }) => kinds.reduce((sum, kind) => sum + kind.open, 0),
        isNumber: true,
      },
      {
        title: t.home.deadLetters,
        cell: ({ kinds }) => kinds.reduce((sum, kind) => sum + kind.dead, 0),
        isNumber: true,
      },
    ],
    [...parties].sort((a, b) => rank[worst(b)] - rank[worst(a)] || b.kinds.length - a.kinds.length),
    { t, url, caption: t.parties.caption, empty: t.parties.empty, name: 'parties' },
  );
}

const rank: Readonly<Record<Kind['state'], number>> = { well: 0, failing: 1, down: 2 };
const p95Of = (kinds: readonly Kind[]) =>
  kinds.reduce<number | null>(
    (most, { p95Ms }) => (p95Ms === null ? most : Math.max(most ?? 0, p95Ms)),
    null,
  );

export function healthOf(
  { t, url }: Visit,
  { party, kinds, refused, refusedOf, signaturesRefused }: Party,
): Html {
  return html`${table(
    [
      { title: t.words.kind, cell: ({ kind }) => kind },
      { title: t.words.state, cell: ({ state }) => badge(state, t.health[state]) },
      { title: t.parties.attempts, cell: ({ attempts }) => attempts, isNumber: true },
      { title: t.parties.taken, cell: ({ taken }) => taken, isNumber: true },
      { title: 'p95', cell: ({ p95Ms }) => duration(p95Ms), isNumber: true },
      { title: t.parties.lastTaken, cell: ({ lastTakenAt }) => time(lastTakenAt) },
      {
        title: t.parties.failures,
        cell: ({ failures }) =>
          Object.entries(failures)
            .map(([name, number]) => `${name} ${number}`)
            .join(', '),
      },
      { title: t.parties.owed, cell: ({ open }) => open, isNumber: true },
      { title: t.home.deadLetters, cell: ({ dead }) => dead, isNumber: true },
    ],
    kinds,
    { t, url, caption: `${t.parties.sends} ${party}`, empty: t.parties.empty },
  )}${refused === 0 ? '' : html`<p>${t.parties.refused} ${refused}. ${refusedOf.map(({ subjectId, about }) => (about === 'payment' ? html`${uetrLink(subjectId)} ` : ''))}</p>`}${signaturesOf(t, signaturesRefused)}`;
}

function signaturesOf(t: Texts, { today, lastAt, lastWhy }: Party['signaturesRefused']): Html {
  if (lastAt === null) return '';
  return facts([
    [t.parties.signaturesToday, today],
    [t.parties.lastSignature, time(lastAt)],
    [t.parties.whySignature, lastWhy],
  ]);
}
