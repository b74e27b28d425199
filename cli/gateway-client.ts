// The gateway as a PSP and a source operator see it: reference data, quotes, submission. It keeps every number of an
// answer as text. It must not look into the gateway's database.
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

/** Path of endpoint 12, for the request and for display. */
export function quotesPath(request: QuoteRequest): string {
  const { sourceCountry, sourceCurrency, destinationCountry, destinationCurrency } = request;
  const corridor = [sourceCountry, sourceCurrency, destinationCountry, destinationCurrency].join('/');
  return `/quotes/${corridor}/${request.amountCurrency}/${request.amount}?finInstIdType=BICFI&finInstId=${request.psp}`;
}

/** The secret of a demo client in the seed data. */
export const demoSecretOf = (clientId: string): string => `demo-${clientId}`;

export type GatewayClient = ReturnType<typeof gatewayClient>;

/** Errors are those of `Gateway.ask`. */
export function gatewayClient(apiUrl: string, secretOf = demoSecretOf) {
  const gateways = new Map<string, Gateway>();
  function as(clientId: string): Gateway {
    const known =
      gateways.get(clientId) ?? openGateway({ url: apiUrl, clientId, secret: secretOf(clientId) });
    gateways.set(clientId, known);
    return known;
  }
  return {
    /** Fetches a client's bearer token once, then reuses it. */
    token: (clientId: string) => as(clientId).logIn(),
    country: async (code: string, clientId: string) =>
      read(await as(clientId).get(`/countries/${code}`)) as ServedCountry,
    /** The payment system of a country and currency (endpoint 3). */
    clearingSystemOf: async (countryCode: string, currencyCode: string, clientId: string) => {
      const path = `/countries/${countryCode}/currencies/${currencyCode}/max-amounts`;
      const [first] = read(await as(clientId).get(path)) as readonly { readonly clearingSystemId: string }[];
      if (first === undefined)
        throw new UserError(`${countryCode} has no payment system for ${currencyCode}.`);
      return first.clearingSystemId;
    },
    /** Endpoint 12, best first. */
    quotes: async (request: QuoteRequest) =>
      (read(await as(request.psp).get(quotesPath(request))) as QuoteSet).quotes,
    /** Endpoint 21, by a payment system. Returns the bytes of the pacs.002 that answers. */
    submitPacs008: async (clearingSystemId: string, xml: string, pacs002Endpoint: string) => {
      const path = `/iso20022/pacs008?pacs002Endpoint=${encodeURIComponent(pacs002Endpoint)}`;
      const headers = { 'content-type': 'application/xml' };
      const response = await as(clearingSystemId).ask(path, { method: 'POST', headers, body: xml });
      return new Uint8Array(await response.arrayBuffer());
    },
  };
}
