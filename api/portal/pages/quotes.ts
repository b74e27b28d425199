// A PSP tries a quote: country, amount, side, and the fields that an address of that country has.
import { html } from 'hono/html';
import type { z } from '@hono/zod-openapi';
import type { quoteSetSchema } from '../../quotes/quote-schemas.ts';
import { section, table } from '../elements.ts';
import { countdown, money, time, type Html } from '../format.ts';
import { readAnswer, Refused } from '../gateway.ts';
import { refusalOf } from '../layout.ts';
import type { Page, Visit } from '../visit.ts';

interface Countries {
  readonly countries: readonly {
    readonly countryCode: string;
    readonly name: string;
    readonly currencies: readonly { readonly currencyCode: string }[];
  }[];
}
interface AddressType {
  readonly addressTypeId: string;
  readonly addressTypeCode: string;
  readonly inputs: readonly {
    readonly addressInputId: string;
    readonly label?: { readonly title: Readonly<Record<string, string>> };
    readonly attributes: Readonly<Record<string, string | boolean | undefined>>;
  }[];
}
type Quotes = z.output<typeof quoteSetSchema>;

export async function quotesPage(visit: Visit): Promise<Page> {
  const { t, api, url, reader } = visit;
  const psp = reader.party ?? '';
  const [{ countries }, own] = await Promise.all([
    api.get<Countries>('/countries'),
    api.find<{ readonly countryCode: string }>(`/fin-insts/any/${idTypeOf(psp)}/${encodeURIComponent(psp)}`),
  ]);
  const places = countries.flatMap(({ countryCode, name, currencies }) =>
    currencies.map(({ currencyCode }) => ({
      value: `${countryCode}/${currencyCode}`,
      says: `${name}, ${currencyCode}`,
    })),
  );
  const asked = Object.fromEntries(
    ['from', 'to', 'side', 'amount'].map((name) => [name, url.searchParams.get(name) ?? '']),
  );
  const { from = '', to = '', side = '', amount = '' } = asked;
  const isAsked = [from, to, amount].every((value) => value !== '');
  // a PSP sends from its own country only
  const sources =
    own === undefined ? places : places.filter(({ value }) => value.startsWith(own.countryCode));
  const select = (name: string, label: string, given: string) =>
    html`<div>
      <label for="${name}">${label}</label>
      <select id="${name}" name="${name}">
        ${(name === 'from' ? sources : places).map(({ value, says }) => html`<option value="${value}" ${value === given ? html`selected` : ''}>${says}</option>`)}
      </select>
    </div>`;
  const main = html`<h1>${t.quotes.title}</h1>
    <section>
      <form class="filters" method="get">
        ${select('from', t.quotes.from, from)}${select('to', t.quotes.to, to)}
        <div>
          <label for="amount">${t.quotes.amount}</label
          ><input id="amount" name="amount" inputmode="decimal" value="${amount}" required />
        </div>
        <div>
          <label for="side">${t.quotes.side}</label
          ><select id="side" name="side">
            <option value="source" ${side === 'source' ? html`selected` : ''}>${t.quotes.source}</option>
            <option value="destination" ${side === 'destination' ? html`selected` : ''}>
              ${t.quotes.destination}
            </option>
          </select>
        </div>
        <button>${t.quotes.ask}</button>
      </form>
    </section>
    ${isAsked ? await answerOf(visit, { from, to, amount, side, psp }) : ''}`;
  return { title: t.quotes.title, main };
}

/** An LEI has 20 characters, a BIC 8 or 11. */
const idTypeOf = (identifier: string) => (identifier.length === 20 ? 'LEI' : 'BICFI');

interface Asked {
  readonly from: string;
  readonly to: string;
  readonly amount: string;
  readonly side: string;
  readonly psp: string;
}

async function answerOf(visit: Visit, { from, to, amount, side, psp }: Asked): Promise<Html> {
  const { t, api } = visit;
  const safe = (place: string) => place.split('/').slice(0, 2).map(encodeURIComponent);
  const [source, destination] = [safe(from), safe(to)];
  const currency = side === 'destination' ? destination[1] : source[1];
  const path = ['/quotes', ...source, ...destination, currency, encodeURIComponent(amount)].join('/');
  try {
    const [answer, types] = await Promise.all([
      api.send(`${path}?${new URLSearchParams({ finInstIdType: idTypeOf(psp), finInstId: psp }).toString()}`),
      api.get<readonly AddressType[]>(`/countries/${destination[0]}/address-types-and-inputs`),
    ]);
    const { quotes } = await readAnswer<Quotes>(answer);
    const end = answer.headers.get('isthmus-quotes-expire');
    const until = quotes.length === 0 || end === null ? '' : html`<p>${t.quotes.until} ${countdown(end)}</p>`;
    return await html`${section(t.quotes.answer, html`${until}${quoteTable(visit, quotes)}`)}
    ${section(
      t.quotes.fields,
      html`${types.map(
        ({ addressTypeId, addressTypeCode, inputs }) =>
          html`<h3>${addressTypeCode} <span class="quiet">${addressTypeId}</span></h3>
            <ul>
              ${inputs.filter(({ attributes }) => attributes['type'] !== 'hidden').map(({ label, attributes }) => html`<li>${label?.title['en'] ?? String(attributes['name'] ?? '')}: <span class="hint">${attributes['placeholder'] ?? ''}</span> ${attributes['pattern'] === undefined ? '' : html`<span class="quiet">${t.quotes.pattern} <code>${attributes['pattern']}</code></span>`}</li>`)}
            </ul>`,
      )}`,
    )}`;
  } catch (error) {
    if (!(error instanceof Refused) || error.status === 401) throw error;
    return refusalOf(t, error);
  }
}

function quoteTable({ t, url, decimalsOf }: Visit, quotes: Quotes['quotes']): Html {
  return table(
    [
      { title: 'FXP', cell: ({ fxpfinInstId }) => fxpfinInstId },
      { title: t.quotes.rate, cell: ({ exchangeRate }) => String(exchangeRate), isNumber: true },
      {
        title: t.words.sourceAmount,
        cell: ({ debtorAgent }) => money(debtorAgent.interbankSettlementAmount, decimalsOf),
        isNumber: true,
      },
      {
        title: t.quotes.schemeFee,
        cell: ({ debtorAgent }) => money(debtorAgent.networkSchemeFee, decimalsOf),
        isNumber: true,
      },
      {
        title: t.words.destinationAmount,
        cell: ({ creditorAgent }) => money(creditorAgent.interbankSettlementAmount, decimalsOf),
        isNumber: true,
      },
      {
        title: t.quotes.agentFee,
        cell: ({ creditorAgent }) => money(creditorAgent.chargesInformation.amount, decimalsOf),
        isNumber: true,
      },
      {
        title: t.words.credited,
        cell: ({ creditorAgent }) =>
          money(
            {
              amount: creditorAgent.creditorAccountAmount,
              currency: creditorAgent.interbankSettlementAmount.currency,
            },
            decimalsOf,
          ),
        isNumber: true,
      },
      {
        title: t.quotes.capped,
        cell: ({ debtorAgent, creditorAgent }) =>
          [
            debtorAgent.interbankSettlementAmount.cappedToMaxAmount ? t.quotes.cappedAtSource : '',
            creditorAgent.interbankSettlementAmount.cappedToMaxAmount ? t.quotes.cappedAtDestination : '',
          ]
            .filter((text) => text !== '')
            .join(', '),
      },
      { title: t.payments.quote, cell: ({ quoteId }) => html`<code>${quoteId}</code>` },
      { title: t.words.at, cell: ({ issuedDateTime }) => time(issuedDateTime) },
    ],
    quotes,
    { t, url, caption: t.quotes.caption, empty: t.quotes.none },
  );
}
