// What the JSON answers hold, in the api's own types where it has them: a test reads an answer by its kind, and an answer
// of another kind is told as what it is. (`startApi` holds every answer against the OpenAPI document besides.)
import type { evidenceSchema } from '../../api/payment-schemas.ts';
import type { quoteSetSchema } from '../../api/quote-schemas.ts';
import type { ratesSchema } from '../../api/rate-schemas.ts';

type BodyOf<Schema extends { readonly _output: unknown }> = Schema['_output'];

export type QuoteSet = BodyOf<typeof quoteSetSchema>;
export type QuoteOnOffer = QuoteSet['quotes'][number];
export type Evidence = BodyOf<typeof evidenceSchema>;
export type Rate = BodyOf<typeof ratesSchema>['rates'][number];

/** One fault of the input; a refusal names one of the two places. */
export interface Fault {
  readonly parameter?: string;
  readonly pointer?: string;
  readonly detail: string;
}

/** RFC 9457, with what SEC-4 adds. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly ruleId?: string;
  readonly errors?: readonly Fault[];
}
