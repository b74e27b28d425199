// A client of the gateway for a PSP and a source operator: reference data, quotes, submission. It returns
// every number of an answer as text. It must not read the gateway's database.
import type { quoteSetSchema } from '../api/quotes/quote-schemas.ts';
import type { countrySchema } from '../api/reference/countries.ts';
import { UserError } from './errors.ts';
import { openGateway, read, type Gateway, type Shown } from './gateway.ts';

type QuoteSet = Shown<typeof quoteSetSchema>;
export type OfferedQuote = QuoteSet['quotes'][number];
export type ServedCountry = Shown<typeof countrySchema>;

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

/** Path and query of a quote request (endpoint 12). */
export function quotesPath(request: QuoteRequest): string {
  const { sourceCountry, sourceCurrency, destinationCountry, destinationCurrency } = request;
  const corridor = [sourceCountry, sourceCurrency, destinationCountry, destinationCurrency].join('/');
  return `/quotes/${corridor}/${request.amountCurrency}/${request.amount}?finInstIdType=BICFI&finInstId=${request.psp}`;
}

/** Returns the secret that the seed data gives to a demo client. */
export const demoSecretOf = (clientId: string): string => `demo-${clientId}`;

export type GatewayClient = ReturnType<typeof gatewayClient>;

/** Its methods throw the errors of `Gateway.ask`. */
export function gatewayClient(apiUrl: string, secretOf = demoSecretOf) {
  const gateways = new Map<string, Gateway>();
  function as(clientId: string): Gateway {
    const known =
      gateways.get(clientId) ?? openGateway({ url: apiUrl, clientId, secret: secretOf(clientId) });
    gateways.set(clientId, known);
    return known;
  }
  return {
    /** Returns a client's bearer token. It fetches the token once, then reuses it. */
    token: (clientId: string) => as(clientId).logIn(),
    country: async (code: string, clientId: string) =>
      read(await as(clientId).get(`/countries/${code}`)) as ServedCountry,
    /** Finds the payment system of a country and currency (endpoint 3). */
    clearingSystemOf: async (countryCode: string, currencyCode: string, clientId: string) => {
      const path = `/countries/${countryCode}/currencies/${currencyCode}/max-amounts`;
      const [first] = read(await as(clientId).get(path)) as readonly { readonly clearingSystemId: string }[];
      if (first === undefined)
        throw new UserError(`${countryCode} has no payment system for ${currencyCode}.`);
      return first.clearingSystemId;
    },
    /** Fetches quotes, best first (endpoint 12). */
    quotes: async (request: QuoteRequest) =>
      (read(await as(request.psp).get(quotesPath(request))) as QuoteSet).quotes,
    /**
     * Submits a pacs.008 as a payment system (endpoint 21). Returns the bytes of the pacs.002 in the answer.
     */
    submitPacs008: async (clearingSystemId: string, xml: string, pacs002Endpoint: string) => {
      const path = `/iso20022/pacs008?pacs002Endpoint=${encodeURIComponent(pacs002Endpoint)}`;
      const headers = { 'content-type': 'application/xml' };
      const response = await as(clearingSystemId).ask(path, { method: 'POST', headers, body: xml });
      return new Uint8Array(await response.arrayBuffer());
    },
  };
}
