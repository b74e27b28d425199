// The gateway as a PSP and a source operator see it: reference data, quotes, submission. It keeps every number of an
// answer as text. It must not look into the gateway's database.
import { z } from 'zod';
import { UserError } from './errors.ts';
import { openGateway, read, type Gateway } from './gateway.ts';

const decimal = z.string(); // a JSON number, kept as its digits
const money = z.object({ amount: decimal, currency: z.string() });
const cappableMoney = money.extend({ cappedToMaxAmount: z.boolean() });
const agent = z.object({ finInstId: z.object({ name: z.string(), BICFI: z.string() }) });
const account = z.object({ id: z.string() });

const quote = z.object({
  quoteId: z.string(),
  fxpfinInstId: z.string(),
  exchangeRate: decimal,
  debtorAgent: z.object({ interbankSettlementAmount: cappableMoney, networkSchemeFee: money }),
  intermediaryAgent1: agent,
  intermediaryAgent1Account: account,
  intermediaryAgent2: agent,
  intermediaryAgent2Account: account,
  creditorAgent: z.object({
    interbankSettlementAmount: cappableMoney,
    chargesInformation: z.object({ amount: money }),
    creditorAccountAmount: decimal,
  }),
});
export type OfferedQuote = z.infer<typeof quote>;

const country = z.object({
  countryCode: z.string(),
  name: z.string(),
  currencies: z.array(z.object({ currencyCode: z.string() })),
  requiredMessageElements: z.object({ pacs008: z.array(z.string()) }),
});
export type ServedCountry = z.infer<typeof country>;

export interface QuoteRequest {
  readonly sourceCountry: string;
  readonly sourceCurrency: string;
  readonly destinationCountry: string;
  readonly destinationCurrency: string;
  readonly amountCurrency: string;
  readonly amount: string;
  /** BIC of the requesting PSP. */
  readonly psp: string;
}

export interface Submission {
  /** Payment system that submits. */
  readonly clearingSystemId: string;
  readonly xml: string;
  /** Address for the final pacs.002. */
  readonly pacs002Endpoint: string;
}

export interface GatewayClient {
  /** Fetches a client's bearer token once, then reuses it. */
  token(clientId: string): Promise<string>;
  country(code: string, clientId: string): Promise<ServedCountry>;
  /** The payment system of a country and currency (endpoint 3). */
  clearingSystemOf(countryCode: string, currencyCode: string, clientId: string): Promise<string>;
  /** Endpoint 12, best first. */
  quotes(request: QuoteRequest): Promise<readonly OfferedQuote[]>;
  /** Endpoint 21. Returns the bytes of the pacs.002 that answers. */
  submitPacs008(submission: Submission): Promise<Uint8Array>;
}

/** Path of endpoint 12, for the request and for display. */
export function quotesPath(request: QuoteRequest): string {
  const { sourceCountry, sourceCurrency, destinationCountry, destinationCurrency } = request;
  const corridor = [sourceCountry, sourceCurrency, destinationCountry, destinationCurrency].join('/');
  return `/quotes/${corridor}/${request.amountCurrency}/${request.amount}?finInstIdType=BICFI&finInstId=${request.psp}`;
}

/** The secret of a demo client in the seed data. */
export const demoSecretOf = (clientId: string): string => `demo-${clientId}`;

/** Errors are those of `Gateway.ask`. */
export function gatewayClient(apiUrl: string, secretOf = demoSecretOf): GatewayClient {
  const gateways = new Map<string, Gateway>();
  function as(clientId: string): Gateway {
    const known =
      gateways.get(clientId) ?? openGateway({ url: apiUrl, clientId, secret: secretOf(clientId) });
    gateways.set(clientId, known);
    return known;
  }
  return {
    token: (clientId) => as(clientId).logIn(),
    country: async (code, clientId) => read(country, await as(clientId).get(`/countries/${code}`)),
    clearingSystemOf: async (countryCode, currencyCode, clientId) => {
      const path = `/countries/${countryCode}/currencies/${currencyCode}/max-amounts`;
      const [first] = read(z.array(z.object({ clearingSystemId: z.string() })), await as(clientId).get(path));
      if (first === undefined)
        throw new UserError(`${countryCode} has no payment system for ${currencyCode}.`);
      return first.clearingSystemId;
    },
    quotes: async (request) =>
      read(z.object({ quotes: z.array(quote) }), await as(request.psp).get(quotesPath(request))).quotes,
    submitPacs008: async ({ clearingSystemId, xml, pacs002Endpoint }) => {
      const path = `/iso20022/pacs008?pacs002Endpoint=${encodeURIComponent(pacs002Endpoint)}`;
      const headers = { 'content-type': 'application/xml' };
      const response = await as(clearingSystemId).ask(path, { method: 'POST', headers, body: xml });
      return new Uint8Array(await response.arrayBuffer());
    },
  };
}
