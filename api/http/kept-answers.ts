// Repeats answers from memory without the app: no router, no `Request`, no `Response`. The app gives the first
// two answers to each address. It also answers every request that needs more than the cached bytes, such as
// HEAD, If-None-Match, a page of another origin, and a caller who must be refused.
import type { IncomingMessage } from 'node:http';
import type { KnownResponse } from './access-log.ts';
import type { Authenticator, Caller } from './caller.ts';
import type { Count } from './limits/arrival.ts';
import { keptAt, type Kept } from './reference-answer.ts';

/** A route whose answers are cached. */
interface KeptRoute {
  /** Path template, for logs and metrics; undefined if no server runs. */
  readonly path: string | undefined;
  readonly madeFrom: () => object;
  readonly count: Count;
  readonly isAllowed: (caller: Caller) => boolean;
}

export interface KeptAnswers {
  /** Remembers the route of an answer that the app has taken from the cache. */
  note(answer: Kept, route: KeptRoute): void;
  /** @returns false: nothing is counted or written, and the app must answer the request */
  repeat(request: IncomingMessage, response: KnownResponse): boolean;
}

interface Known {
  readonly path: string;
  readonly route: KeptRoute;
  /** The header lines as a flat list: name, value, name, value. */
  readonly lines: readonly string[];
}

/** @param hasCors whether answers depend on the origin of the page that asks */
export function createKeptAnswers(
  authenticator: Pick<Authenticator, 'knownCaller'>,
  hasCors: boolean,
): KeptAnswers {
  const sources = new Set<() => object>();
  const knownOf = new WeakMap<Kept, Known>(); // an entry goes with its answer, when the data changes

  function find(path: string): Kept | undefined {
    for (const madeFrom of sources) {
      const answer = keptAt(madeFrom(), path);
      if (answer !== undefined) return answer;
    }
    return undefined;
  }

  return {
    note(answer, route) {
      if (route.path === undefined || knownOf.has(answer)) return;
      sources.add(route.madeFrom);
      knownOf.set(answer, { path: route.path, route, lines: linesOf(answer, hasCors) });
    },
    repeat({ method, url = '', headers }, response) {
      const isPlain = method === 'GET' && headers['if-none-match'] === undefined;
      if (!isPlain || (hasCors && headers.origin !== undefined)) return false;
      const answer = find(url);
      const known = answer && knownOf.get(answer);
      if (answer === undefined || known === undefined) return false;
      const { path, route, lines } = known;
      const caller = authenticator.knownCaller(headers.authorization ?? '');
      if (caller === undefined || !route.isAllowed(caller)) return false;
      // a request over the limit is not counted, so the app may count it again and refuse it
      if (route.count({ env: { outgoing: response } }, caller) !== undefined) return false;
      response.about.route = path;
      response.about.client = caller.clientId;
      response.writeHead(200, lines);
      response.end(answer.body);
      return true;
    },
  };
}

function linesOf({ body, headers }: Kept, hasCors: boolean): readonly string[] {
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  return Object.entries({ ...headers, ...(hasCors && { vary: 'Origin' }), ...length }).flat();
}
