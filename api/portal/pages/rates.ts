// An FX provider's rates with their tiers, and its improvements.
import { html } from 'hono/html';
import type { z } from '@hono/zod-openapi';
import type { improvementsSchema, ratesSchema, standingsSchema } from '../../quotes/rate-schemas.ts';
import { actForm } from '../acts.ts';
import { badge, section, table } from '../elements.ts';
import { ageOf, grouped, time, type Html } from '../format.ts';
import { pathWith } from '../gateway.ts';
import type { Page, Visit } from '../visit.ts';

type Rates = z.output<typeof ratesSchema>;
type Standings = z.output<typeof standingsSchema>;

const filters = ['sourceCountry', 'destinationCountry'] as const;
const shownRates = 100;

export async function ratesPage(visit: Visit): Promise<Page> {
  const { t, api, url, decimalsOf } = visit;
  const asked = Object.fromEntries(
    filters.map((name) => [name, (url.searchParams.get(name) ?? '').trim().toUpperCase()]),
  );
  const [{ rates }, { standings }, { tiers, psps }] = await Promise.all([
    api.get<Rates>(pathWith('/api/v1/rates', asked)),
    api.get<Standings>(pathWith('/api/v1/standings', asked)),
    api.get<z.output<typeof improvementsSchema>>('/api/v1/improvements'),
  ]);
  const main = html`<h1>${t.nav.rates}</h1>
    <section>
      <form class="filters" method="get">
        ${filters.map((name) => html`<div><label for="${name}">${t.fields[name]}</label><input id="${name}" name="${name}" value="${asked[name] ?? ''}" size="4" /></div>`)}<button>
          ${t.words.show}
        </button>
      </form>
    </section>
    ${section(t.rates.standing, standingTable(visit, standings.slice(0, shownRates)))}
    <details id="rates" ${Object.values(asked).some((value) => value !== '') ? html`open` : ''}>
      <summary>${t.rates.current} (${rates.length})</summary>
      <section>
        ${rateTable(visit, rates.slice(0, shownRates))}${rates.length > shownRates ? html`<p class="quiet">${t.rates.more} ${rates.length}</p>` : ''}
      </section>
    </details>
    ${section(t.rates.post, actForm(visit, 'rate'))}
    <div class="columns">
      ${section(
        t.rates.tiers,
        html`${table(
          [
            { title: t.words.currency, cell: ({ unitCurrency }) => unitCurrency },
            {
              title: t.rates.from,
              cell: (one) => grouped(one.threshold, decimalsOf(one.unitCurrency)),
              isNumber: true,
            },
            {
              title: t.rates.basisPoints,
              cell: ({ improvementBasisPoints }) => improvementBasisPoints,
              isNumber: true,
            },
          ],
          tiers,
          { t, url, caption: t.rates.tiers, empty: t.rates.noTiers },
        )}${actForm(visit, 'tier', { isFolded: true })}`,
      )}
      ${section(
        t.rates.psps,
        html`${table(
          [
            { title: 'PSP', cell: ({ pspId }) => pspId },
            {
              title: t.rates.basisPoints,
              cell: ({ improvementBasisPoints }) => improvementBasisPoints,
              isNumber: true,
            },
            { title: t.rates.since, cell: ({ updatedDateTime }) => time(updatedDateTime) },
          ],
          psps,
          { t, url, caption: t.rates.psps, empty: t.rates.noPsps },
        )}${actForm(visit, 'psp', { isFolded: true })}`,
      )}
    </div>`;
  return { title: t.nav.rates, main };
}

function standingTable({ t, url }: Visit, standings: Standings['standings']): Html {
  return table(
    [
      {
        key: 'corridor',
        title: t.words.corridor,
        cell: (one) => `${one.sourceCountry}-${one.destinationCountry}`,
      },
      { title: t.rates.currencies, cell: (one) => `${one.sourceCurrency} → ${one.destinationCurrency}` },
      { title: t.rates.yours, cell: ({ exchangeRate }) => String(exchangeRate), isNumber: true },
      {
        title: t.rates.best,
        cell: ({ marketRate }) => (marketRate === null ? '' : String(marketRate)),
        isNumber: true,
      },
      {
        key: 'standing',
        title: t.words.state,
        cell: ({ isBest, marketRate }) =>
          isBest
            ? badge('best', t.rates.isBest)
            : marketRate === null
              ? t.rates.noneQuoted
              : badge('behind', t.rates.isBehind),
        by: ({ isBest }) => (isBest ? 1 : 0),
      },
    ],
    standings,
    { t, url, caption: t.rates.standing, empty: t.rates.empty, name: 'standing' },
  );
}

function rateTable({ t, url, decimalsOf }: Visit, rates: Rates['rates']): Html {
  return table(
    [
      {
        key: 'corridor',
        title: t.words.corridor,
        cell: (one) => `${one.sourceCountry}-${one.destinationCountry}`,
        by: (one) => `${one.sourceCountry}-${one.destinationCountry}`,
      },
      { title: t.rates.currencies, cell: (one) => `${one.sourceCurrency} → ${one.destinationCurrency}` },
      {
        key: 'threshold',
        title: t.rates.from,
        cell: (one) => grouped(one.threshold, decimalsOf(one.sourceCurrency)),
        by: ({ threshold }) => threshold,
        isNumber: true,
      },
      { title: t.quotes.rate, cell: ({ exchangeRate }) => String(exchangeRate), isNumber: true },
      {
        key: 'at',
        title: t.rates.since,
        cell: ({ createdDateTime }) => time(createdDateTime),
        by: ({ createdDateTime }) => createdDateTime,
      },
      { title: t.words.age, cell: ({ createdDateTime }) => ageOf(createdDateTime), isNumber: true },
    ],
    rates,
    { t, url, caption: t.rates.caption, empty: t.rates.empty },
  );
}
