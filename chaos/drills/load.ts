// The payments of a drill: plain ones that any healthy system accepts, at a steady rate. Each goes to an api that is
// ready, as through a load balancer. A source that gets no answer repeats its payment, as chaos/load does.
import { setTimeout as delay } from 'node:timers/promises';
import { answersOk } from '../../cli/parts/child.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { draftPayment, write } from '../load/draft.ts';
import { openLoad, type LoadOptions } from '../load/load.ts';
import { askQuotes, choose, drawAmount, drawCorridor, pay } from '../load/paying.ts';
import { createRandom } from '../load/random.ts';
import type { Story } from '../load/tools.ts';
import type { Exchange } from '../oracle/evidence.ts';

export interface DrillLoad {
  /** Every request with its answer, in the order of the answers. */
  readonly exchanges: readonly Exchange[];
  /** Begins payments at the rate. */
  start(): void;
  /** Begins no more payments, and waits until each sender has its answer or has given up. */
  pause(): Promise<void>;
  /** @throws Error if the load itself is wrong */
  stop(): Promise<void>;
  /** Begins no more payments, and waits for nothing. */
  abandon(): void;
}

const lookEveryMs = 200;
const seed = 1;
const canaries = ['DRILL7f3a91', 'DRILL-b20c4e'];

export function openDrillLoad(
  { apiUrls, callbackUrl }: Pick<LoadOptions, 'callbackUrl'> & { readonly apiUrls: readonly string[] },
  ratePerSecond: number,
): DrillLoad {
  const exchanges: Exchange[] = [];
  const random = createRandom(seed);
  const balancer = openBalancer(apiUrls);
  const load = openLoad({
    apis: apiUrls.map((url, nth) => ({ name: `api-${nth + 1}`, url })),
    random: random.fork(),
    ratePerSecond,
    callbackUrl,
    canaries,
    ageQuote: () => Promise.resolve(false),
    record: (exchange) => exchanges.push(exchange),
  });
  const playing = new Set<Promise<void>>();
  const begin = () => {
    const one = load.play(paymentThrough(balancer), random.fork()).finally(() => playing.delete(one));
    playing.add(one);
  };
  let timer: NodeJS.Timeout | undefined;
  const pause = async () => {
    clearInterval(timer);
    await Promise.all(playing);
  };
  const abandon = () => {
    clearInterval(timer);
    balancer.close();
  };
  return {
    exchanges,
    start: () => {
      timer = setInterval(begin, 1_000 / ratePerSecond);
    },
    pause,
    stop: async () => {
      await pause();
      abandon();
      await load.stop();
      const { defects } = load.stats();
      if (defects.length > 0) throw new Error(`the load itself is wrong: ${defects.join('; ')}`);
    },
    abandon,
  };
}

/** How the destinations answer. Half report 2 s later, so that payments are always under way. */
const endings = [endingIn.creditedAtOnce, endingIn.creditedLater, endingIn.interim, endingIn.interim];

/** Half of the payments are HIGH. */
const paymentThrough = (balancer: Balancer): Story => ({
  name: 'payment',
  weight: 1,
  play: async (tools) => {
    const { random } = tools;
    const corridor = drawCorridor(random);
    const asked = drawAmount(random, corridor);
    const draft = draftPayment(random, tools.canaries, { corridor, ending: random.pick(endings) });
    await tools.ready(draft.debtorPsp);
    const quotes = await askQuotes(tools, { corridor, psp: draft.debtorPsp, asked, api: balancer.next() });
    await tools.ready(corridor.source.system);
    const body = write(draft, choose(quotes, 0), Date.now());
    await pay(tools, draft, body, { api: balancer.next() });
  },
});

interface Balancer {
  /** Index of the api that gets the next request: in turn, among those that are ready. */
  next(): number;
  close(): void;
}

/** Asks each api whether it is ready. If none is, all get requests. */
function openBalancer(urls: readonly string[]): Balancer {
  const all = urls.map((_, nth) => nth);
  let ready = all;
  let turn = 0;
  const closing = new AbortController();
  const isClosed = () => closing.signal.aborted;
  const look = async () => {
    while (!isClosed()) {
      const answers = await Promise.all(urls.map((url) => answersOk(`${url}/health/ready`)));
      const up = all.filter((nth) => answers[nth] === true);
      ready = up.length === 0 ? all : up;
      await delay(lookEveryMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  };
  void look();
  return {
    next: () => ready[(turn += 1) % ready.length] ?? 0,
    close: () => closing.abort(),
  };
}
