// `npm run bench -- limits`: measures how much one client slows the others if it sends fifty times as many
// requests as its rate limit allows (SEC-7). bench/README.md says what is measured and what is not.
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { Pool } from 'undici';
import { buildImage } from '../cli/image.ts';
import { startPostgres } from '../cli/parts/postgres.ts';
import { sayOnTerminal } from '../cli/parts/progress.ts';
import type { ThrowawayPlace } from '../cli/throwaway.ts';
import { quantile } from './closed-count.ts';
import { prepareDatabase } from './database.ts';
import { positive, readOptions } from './options.ts';
import { startMeasured } from './quotes.ts';
import type { Payer } from './quotes-server.ts';

const options = {
  seconds: { type: 'string', default: '10' },
  rounds: { type: 'string', default: '5' },
} as const;

const perMinute = 600; // rate limit of each client
const eachPerSecond = 5; // requests of each normal client, half of its limit
const times = 50;

export async function benchLimits(argv: readonly string[], place: ThrowawayPlace): Promise<void> {
  const values = readOptions(argv, options);
  const seconds = positive(values.seconds, '--seconds', 'fraction');
  const rounds = positive(values.rounds, '--rounds');
  const postgres = await startPostgres({ ...place, database: 'postgres', say: sayOnTerminal });
  place.atEnd(() => postgres.stop());
  const databaseUrl = await prepareDatabase(postgres.url, { database: 'isthmus_bench_limits', place });
  const script = { 'quotes-server': 'bench/quotes-server.ts' };
  const dist = await buildImage(join(import.meta.dirname, '..'), join(place.folder, 'image'), script);
  const server = await startMeasured(dist, databaseUrl, { messagesPerMinute: perMinute });
  place.atEnd(server.stop);
  const [first, ...others] = server.line.payers;
  if (first === undefined || others.length === 0) throw new Error('the seed data has no PSPs');
  const { api, bare } = server.line;
  const loadOf = (url: string, of: Omit<Load, 'pool'>): Load => {
    const pool = new Pool(url, { connections: 64 });
    place.atEnd(() => pool.close());
    return { pool, ...of };
  };
  const othersPerSecond = eachPerSecond * others.length;
  const abusePerSecond = (times * perMinute) / 60;
  const quote = ({ bic }: Payer) => `/quotes/SG/SGD/TH/THB/SGD/1000?finInstIdType=BICFI&finInstId=${bic}`;
  const asked = loadOf(api, { payers: others, perSecond: othersPerSecond, path: quote });
  const abuser = loadOf(api, { payers: [first], perSecond: abusePerSecond, path: quote });
  const floor = loadOf(bare, { payers: [first], perSecond: abusePerSecond, path: () => '/json' });
  await spread(asked, seconds); // a warm-up, to compile the code
  console.log(
    `${rounds} rounds of ${seconds} s: ${othersPerSecond} quotes per second of ${others.length} clients, alone; beside ${abusePerSecond} requests per ` +
      `second to a bare route; and beside one client that asks so often, ${times} times as often as it may\n`,
  );
  console.log(
    'p99     alone      beside bare    beside abuser  / alone  / bare   of the abuser: answered, refused',
  );
  const all: Sides = { alone: [], bare: [], abuser: [] };
  for (let round = 1; round <= rounds; round += 1) {
    const alone = await spread(asked, seconds);
    const [besideBare] = await Promise.all([spread(asked, seconds), spread(floor, seconds)]);
    const [besideAbuser, abused] = await Promise.all([spread(asked, seconds), spread(abuser, seconds)]);
    const one = { alone: alone.durations, bare: besideBare.durations, abuser: besideAbuser.durations };
    for (const side of sides) all[side].push(...one[side]);
    console.log(line(String(round), one), `${abused.answered}, ${abused.refused}`);
  }
  console.log(line('all', all));
}

const sides = ['alone', 'bare', 'abuser'] as const;
type Sides = Record<(typeof sides)[number], number[]>;

interface Load {
  readonly pool: Pool;
  /** The clients, which take turns. */
  readonly payers: readonly Payer[];
  readonly perSecond: number;
  readonly path: (payer: Payer) => string;
}

interface Spread {
  /** Response times in milliseconds, measured from the due time of the request. */
  readonly durations: number[];
  readonly answered: number;
  readonly refused: number;
}

/** Runs an open loop: sends each request at its due time, without waiting for earlier answers. */
async function spread({ pool, payers, perSecond, path }: Load, seconds: number): Promise<Spread> {
  const begunAt = performance.now();
  const durations: number[] = [];
  const counts = { answered: 0, refused: 0 };
  const asked: Promise<void>[] = [];
  for (let nth = 0; nth < seconds * perSecond; nth += 1) {
    const dueAt = begunAt + (nth * 1_000) / perSecond;
    const waitMs = dueAt - performance.now();
    if (waitMs > 0) await delay(waitMs);
    const payer = payers[nth % payers.length];
    if (payer === undefined) break;
    const headers = { authorization: `Bearer ${payer.token}` };
    asked.push(
      pool.request({ method: 'GET', path: path(payer), headers }).then(async ({ statusCode, body }) => {
        await body.dump();
        if (statusCode === 429) counts.refused += 1;
        else if (statusCode === 200) counts.answered += 1;
        else throw new Error(`answered ${statusCode}`);
        durations.push(performance.now() - dueAt);
      }),
    );
  }
  await Promise.all(asked);
  return { durations, ...counts };
}

function line(name: string, of: Sides): string {
  const [alone = 0, bare = 0, abuser = 0] = sides.map((side) => quantile(of[side], 0.99));
  const figures = [alone, bare, abuser].map((figure) => `${figure.toFixed(1).padStart(8)} ms   `);
  const ratios = [abuser / alone, abuser / bare].map((ratio) => ratio.toFixed(2).padStart(7));
  return `${name.padEnd(4)} ${figures.join('')} ${ratios.join('  ')}  `;
}
