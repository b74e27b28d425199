// The gateway as a PSP and a source operator see it, over HTTP only: tokens, reference data, quotes, submission.
// It keeps every number of an answer as text. It must not look into the gateway's database.
import { z } from 'zod';
import { TurnedAwayError, UnavailableError, UserError } from './errors.ts';
import { visible } from './foreign-text.ts';

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

const shapes = {
  quotes: z.object({ quotes: z.array(quote) }),
  country,
  maximums: z.array(z.object({ clearingSystemId: z.string() })),
  token: z.object({ access_token: z.string() }),
};

const problem = z.object({
  title: z.string().optional(),
  detail: z.string().optional(),
  ruleId: z.string().optional(),
  errors: z.array(z.object({ pointer: z.string().optional(), detail: z.string() })).optional(),
  /** From the token endpoint (RFC 6749, 5.2). */
  error: z.string().optional(),
  error_description: z.string().optional(),
});

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

const timeoutMs = 40_000; // longer than the gateway's longest wait (30 s)

/** Path of endpoint 12, for the request and for display. */
export function quotesPath(request: QuoteRequest): string {
  const { sourceCountry, sourceCurrency, destinationCountry, destinationCurrency } = request;
  const corridor = [sourceCountry, sourceCurrency, destinationCountry, destinationCurrency].join('/');
  return `/quotes/${corridor}/${request.amountCurrency}/${request.amount}?finInstIdType=BICFI&finInstId=${request.psp}`;
}

/** The secret of a demo client in the seed data. */
export const demoSecretOf = (clientId: string): string => `demo-${clientId}`;

export function gatewayClient(apiUrl: string, secretOf = demoSecretOf): GatewayClient {
  const tokens = new Map<string, Promise<string>>();

  /**
   * @throws UserError with the gateway's explanation if the answer is not 200; UnavailableError for 5xx or no answer,
   *   when the gateway may still have accepted the request; TurnedAwayError for 429, when it did not and the request
   *   may be repeated
   */
  async function call(path: string, init: RequestInit): Promise<Response> {
    const response = await fetch(`${apiUrl}${path}`, {
      ...init,
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((error: unknown) => {
      throw new UnavailableError(
        `The api at ${apiUrl} does not answer (${reasonOf(error)}). Is the demo still running? npm start starts it.`,
      );
    });
    if (response.status === 200) return response;
    const explanation = await explainRefusal(`${init.method ?? 'GET'} ${path}`, response);
    if (response.status === 429) throw new TurnedAwayError(explanation);
    throw response.status >= 500 ? new UnavailableError(explanation) : new UserError(explanation);
  }

  async function get<Value>(path: string, clientId: string, shape: z.ZodType<Value>): Promise<Value> {
    const response = await call(path, { headers: { authorization: `Bearer ${await token(clientId)}` } });
    return shape.parse(parseExactJson(await response.text()));
  }

  async function fetchToken(clientId: string): Promise<string> {
    const response = await call('/oauth/token', {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${clientId}:${secretOf(clientId)}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    });
    return shapes.token.parse(await response.json()).access_token;
  }

  function token(clientId: string): Promise<string> {
    const known = tokens.get(clientId) ?? fetchToken(clientId);
    tokens.set(clientId, known);
    return known;
  }

  return {
    token,
    country: (code, clientId) => get(`/countries/${code}`, clientId, shapes.country),
    clearingSystemOf: async (countryCode, currencyCode, clientId) => {
      const path = `/countries/${countryCode}/currencies/${currencyCode}/max-amounts`;
      const [first] = await get(path, clientId, shapes.maximums);
      if (first === undefined)
        throw new UserError(`${countryCode} has no payment system for ${currencyCode}.`);
      return first.clearingSystemId;
    },
    quotes: async (request) => (await get(quotesPath(request), request.psp, shapes.quotes)).quotes,
    submitPacs008: async ({ clearingSystemId, xml, pacs002Endpoint }) => {
      const response = await call(
        `/iso20022/pacs008?pacs002Endpoint=${encodeURIComponent(pacs002Endpoint)}`,
        {
          method: 'POST',
          headers: {
            authorization: `Bearer ${await token(clearingSystemId)}`,
            'content-type': 'application/xml',
          },
          body: xml,
        },
      );
      return new Uint8Array(await response.arrayBuffer());
    },
  };
}

/** Parses JSON, and turns each number into a string with exactly the digits that were sent. */
export function parseExactJson(text: string): unknown {
  const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
  return JSON.parse(
    text.replaceAll(stringOrNumber, (token) => (token.startsWith('"') ? token : `"${token}"`)),
  );
}

/** The gateway's explanation of a refused request, in one sentence. */
export async function explainRefusal(request: string, response: Response): Promise<string> {
  const text = await response.text();
  const head = `${request} was answered with HTTP ${response.status}`;
  const parsed = problem.safeParse(parseJsonOrNothing(text));
  if (!parsed.success) {
    const doubted =
      response.status === 401 ? 'are the address, the client id and its secret' : 'is the address';
    return `${head}, and not as Isthmus answers: ${doubted} right?`;
  }
  const { error = '', error_description: description = '', ruleId, errors = [] } = parsed.data;
  const { title = error, detail = description } = parsed.data;
  const more = errors
    .slice(1)
    // the detail already has the first error
    .map(({ pointer, detail: why }) => (pointer === undefined ? why : `${pointer} ${why}`));
  const said = [title, detail, ...more].filter((part) => part !== '').join(': ');
  if (said === '') return `${head}.`;
  return visible(`${head}: ${said}${ruleId === undefined ? '' : ` (${ruleId})`}`);
}

function parseJsonOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
