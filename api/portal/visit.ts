// What a page of the portal is made from, and what it returns.
import type { Role } from '../http/caller.ts';
import type { DecimalsOf, Html } from './format.ts';
import type { Gateway } from './gateway.ts';
import type { Texts } from './texts.ts';

/** The answer of GET /whoami. */
export interface Reader {
  readonly clientId: string;
  readonly role: Role | 'all';
  /** Payment system of an ipso, BIC of a psp or fxp; null for others. */
  readonly party: string | null;
}

/** One reader at one address. */
export interface Visit {
  readonly reader: Reader;
  readonly api: Gateway;
  readonly url: URL;
  readonly params: Readonly<Record<string, string>>;
  readonly csrf: string;
  readonly t: Texts;
  readonly decimalsOf: DecimalsOf;
  /** Address of Temporal's UI; undefined: nobody has said where it is. */
  readonly temporalUi: string | undefined;
  readonly namespace: string;
}

export interface Page {
  readonly title: string;
  readonly main: Html;
  readonly status?: number;
}

export interface PageRoute {
  /** As in OpenAPI: `/portal/payments/{uetr}`. */
  readonly path: string;
  /** @throws Refused as the API refuses its reader */
  readonly show: (visit: Visit) => Promise<Page>;
  /** The page refreshes itself. */
  readonly isLive?: true;
}

export const isOperator = ({ reader: { role } }: Visit): boolean => role === 'operator' || role === 'all';
