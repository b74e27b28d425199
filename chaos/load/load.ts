// The load of a run: the requests of PSPs, source operators and FX providers. A seed determines the requests.
// The load sends them when they are due, even if earlier ones are still unanswered (open loop), and records
// them as evidence. It knows the service only by its HTTP interface.
import { setMaxListeners } from 'node:events';
import type { Exchange } from '../oracle/evidence.ts';
import type { Random } from './random.ts';
import { openSender, type Api, type Sender } from './sender.ts';
import { keepTime, planned, untilOrEnd, type Arrival } from './schedule.ts';
import { NoToken, openTokens, type LoadTokens } from './tokens.ts';
import { StoryEnded, type Story, type Tools } from './tools.ts';

export interface LoadOptions {
  readonly apis: readonly Api[];
  readonly random: Random;
  /**
   * Average number of stories that begin per second. A story submits about one message, including repeats,
   * and sends about one other request.
   */
  readonly ratePerSecond: number;
  /**
   * Returns the share of `ratePerSecond` that the machine can carry now, at most 1. The load calls it before
   * each story. The default is 1.
   */
  readonly share?: () => number;
  /** Returns the callback address of a source operator. `other` is its second registered address. */
  readonly callbackUrl: Tools['callbackUrl'];
  /**
   * Texts that mark personal data. They have at most 24 letters, digits and hyphens, so that they fit into
   * account numbers.
   */
  readonly canaries: readonly string[];
  readonly ageQuote: Tools['ageQuote'];
  readonly record: (exchange: Exchange) => void;
  /** Multiplies every pause within a story and between repeats. The default is 1. */
  readonly pace?: number;
}

export interface LoadStats {
  /** Number of requests that were answered or given up, keyed by purpose. */
  readonly exchanges: Readonly<Record<string, number>>;
  /** Number of stories that began, keyed by name. */
  readonly stories: Readonly<Record<string, number>>;
  readonly inFlight: number;
  /** Number of stories that did not begin, because too many requests were in flight. */
  readonly turnedAway: number;
  /**
   * Number of stories that ended early because something was missing, such as a quote or a token. The keys
   * name the missing thing.
   */
  readonly endedEarly: Readonly<Record<string, number>>;
  /** Errors in the load itself. Any error makes the run fail. */
  readonly defects: readonly string[];
}

export interface Load {
  start(): void;
  /**
   * Starts no new stories. Resolves when every sender has its answer or has given up, after at most about 140
   * s.
   */
  stop(): Promise<void>;
  stats(): LoadStats;
  /** Plays one story at once. */
  play(story: Story, random: Random): Promise<void>;
}

const maxInFlight = 300; // more requests would measure only this machine
const tokenPatienceMs = 90_000; // equal to the senders' patience

type Counts = Record<string, number>;

const count = (counts: Counts, name: string) => {
  counts[name] = (counts[name] ?? 0) + 1;
};

export function openLoad(options: LoadOptions): Load {
  const { apis, record } = options;
  const tokens = openTokens({ urls: apis.map(({ url }) => url), patienceMs: tokenPatienceMs });
  const [exchanges, begun, endedEarly]: [Counts, Counts, Counts] = [{}, {}, {}];
  const defects: string[] = [];
  let turnedAway = 0;
  const sender = openSender({
    apis,
    tokens,
    record: (exchange) => {
      count(exchanges, exchange.purpose);
      record(exchange);
    },
  });
  const ending = new AbortController();
  setMaxListeners(0, ending.signal); // each waiting story adds a listener
  const playing = new Set<Promise<void>>();

  const tools = toolsOf(options, { sender, tokens, end: ending.signal });

  async function play(story: Story, random: Random): Promise<void> {
    count(begun, story.name);
    try {
      await story.play({ ...tools, random });
    } catch (error) {
      if (error instanceof StoryEnded || error instanceof NoToken) count(endedEarly, error.message);
      else
        defects.push(`${story.name}: ${error instanceof Error ? (error.stack ?? error.message) : 'unknown'}`);
    }
  }

  function begin({ story, random }: Arrival): void {
    if (sender.inFlight() >= maxInFlight) {
      turnedAway += 1;
      return;
    }
    const one = play(story, random).finally(() => playing.delete(one));
    playing.add(one);
  }

  return {
    start: () => {
      keepTime(planned(options.random, options.ratePerSecond), {
        end: ending.signal,
        begin,
        ...(options.share === undefined ? {} : { share: options.share }),
      });
    },
    stop: async () => {
      ending.abort();
      while (playing.size > 0) await Promise.all(playing);
      await sender.close();
    },
    stats: () => ({
      exchanges: { ...exchanges },
      stories: { ...begun },
      inFlight: sender.inFlight(),
      turnedAway,
      endedEarly: { ...endedEarly },
      defects: [...defects],
    }),
    play,
  };
}

function toolsOf(
  { pace = 1, canaries, callbackUrl, ageQuote }: LoadOptions,
  { sender, tokens, end }: { sender: Sender; tokens: LoadTokens; end: AbortSignal },
): Omit<Tools, 'random'> {
  return {
    canaries,
    callbackUrl,
    ageQuote,
    ready: async (client) => {
      await tokens.tokenFor(client);
      if (end.aborted) throw new StoryEnded('the load has ended');
    },
    send: (request) => sender.send(request),
    rest: (ms) => untilOrEnd(ms * pace, end),
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms * pace)),
  };
}
