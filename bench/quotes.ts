// `npm run bench -- quotes`: compares endpoints 12, 12b, 14 and the reference data with bare Hono routes.
// Both run in the same process with the same Postgres, in turns. bench/README.md says what is measured and
// what is not.
import { join } from 'node:path';
import pg from 'pg';
import { buildImage } from '../cli/image.ts';
import { spawnGuarded } from '../cli/parts/guard.mjs';
import { startPostgres, withClient } from '../cli/parts/postgres.ts';
import { sayOnTerminal } from '../cli/parts/progress.ts';
import { prepareDatabase } from './database.ts';
import { average, closedLoop, type LoopRequest, type LoopResult } from './closed-loop.ts';
import { readOptions } from './options.ts';
import type { ThrowawayPlace } from '../cli/throwaway.ts';
import type { Payer, QuotesServerLine } from './quotes-server.ts';

const country = JSON.stringify({
  id: 702,
  countryCode: 'SG',
  name: 'Singapore',
  currencies: [{ currencyCode: 'SGD', maxAmount: '200000' }],
  requiredMessageElements: { pacs008: ['purposeCode'] },
});
/**
 * Size in bytes of a stored row of four quotes, without the row header and the first two columns. It is only
 * a default, because each run measures the size again.
 */
const defaultRowBytes = 900;

interface Scenario {
  readonly name: string;
  readonly floor: 'bare insert' | 'bare json';
  readonly side: 'api' | 'bare';
  readonly request: (n: number) => LoopRequest;
}

const load = { clients: 32, seconds: 4, rounds: 3 };

export async function benchQuotes(argv: readonly string[], place: ThrowawayPlace): Promise<void> {
  readOptions(argv, {});
  const postgres = await startPostgres({ ...place, database: 'postgres', say: sayOnTerminal });
  place.atEnd(() => postgres.stop());
  const url = await prepareDatabase(postgres.url, { database: 'isthmus_bench_quotes', place });
  await addBareRows(url);
  const root = join(import.meta.dirname, '..');
  const script = { 'quotes-server': 'bench/quotes-server.ts' };
  const dist = await buildImage(root, join(place.folder, 'image'), script);
  const rowBytes = await measureRow(dist, url);
  const server = await startMeasured(dist, url, { rowBytes });
  place.atEnd(server.stop);
  console.log(
    `${load.clients} clients, ${load.rounds} rounds of ${load.seconds} s each, row of ${rowBytes} bytes\n`,
  );
  report(await runAll(server.line));
}

const addBareRows = (url: string) =>
  withClient(url, (client) =>
    client.query(
      'create table bench_rows (id uuid primary key, at timestamptz not null, body text not null)',
    ),
  );

/** Measures the size of a row that the api has stored for a quote request. */
async function measureRow(dist: string, databaseUrl: string): Promise<number> {
  const { stop, line } = await startMeasured(dist, databaseUrl);
  await closedLoop({ url: line.api, clients: 1, seconds: 0.2, request: quoteRequest(line.payers) });
  await stop();
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ bytes: number }>(
      'select pg_column_size(q.*) - 24 - 16 - 8 as bytes from quote_requests q limit 1',
    );
    return rows[0]?.bytes ?? defaultRowBytes;
  } finally {
    await client.end();
  }
}

/** @param dist folder of the built files. The TypeScript sources would be slower. */
export async function startMeasured(
  dist: string,
  databaseUrl: string,
  {
    rowBytes = defaultRowBytes,
    messagesPerMinute = 0,
  }: { readonly rowBytes?: number; readonly messagesPerMinute?: number } = {},
): Promise<{ stop: () => Promise<void>; line: QuotesServerLine }> {
  const child = spawnGuarded(
    process.execPath,
    [join(dist, 'quotes-server.js'), databaseUrl, String(rowBytes), country, String(messagesPerMinute)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
    { stop: 'SIGTERM' },
  );
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const line = await new Promise<QuotesServerLine>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').once('data', (text: string) => {
      resolve(JSON.parse(text) as QuotesServerLine); // the process writes its only line at once
    });
    void ended.then(() => reject(new Error('the measured process has ended')));
  });
  const stop = async () => {
    child.kill();
    await ended;
  };
  return { stop, line };
}

/** Amounts below, between and above the tier thresholds of 1,000, 10,000 and 50,000. */
const amounts = ['250', '999.99', '1000', '5000', '10000', '25000', '50000', '75000'];
const amountOf = (n: number) => amounts[n % amounts.length] ?? '1000';

/** Returns the n-th request. The payers take turns. */
const requestOf =
  (payers: readonly Payer[], path: (n: number, bic: string) => string) =>
  (n: number): LoopRequest => {
    const { bic = '', token = '' } = payers[n % payers.length] ?? {};
    return { path: path(n, bic), headers: { authorization: `Bearer ${token}` } };
  };

const quoteRequest = (payers: readonly Payer[]) =>
  requestOf(
    payers,
    (n, bic) => `/quotes/SG/SGD/TH/THB/SGD/${amountOf(n)}?finInstIdType=BICFI&finInstId=${bic}`,
  );

function scenarios(payers: readonly Payer[]): readonly Scenario[] {
  const api = (
    name: string,
    floor: Scenario['floor'],
    path: (n: number, bic: string) => string,
  ): Scenario => ({
    name,
    floor,
    side: 'api',
    request: requestOf(payers, path),
  });
  const bare = (name: Scenario['floor'], path: string): Scenario => ({
    name,
    floor: name,
    side: 'bare',
    request: requestOf(payers, () => path),
  });
  return [
    bare('bare insert', '/insert'),
    { name: 'quotes (12)', floor: 'bare insert', side: 'api', request: quoteRequest(payers) },
    api(
      'quotes (12b)',
      'bare insert',
      (n, bic) => `/api/v1/quotes/SG/SGD/TH/THB/?amt=${amountOf(n)}&amtCcy=SGD&pspId=${bic}`,
    ),
    bare('bare json', '/json'),
    api('country (2)', 'bare json', () => '/countries/SG'),
    api('fees and amounts (14)', 'bare json', (n) => `/fees-and-amounts/SG/SGD/TH/THB/SGD/${amountOf(n)}/25`),
  ];
}

async function runAll(line: QuotesServerLine): Promise<Map<Scenario, LoopResult>> {
  const list = scenarios(line.payers);
  const runs = new Map<Scenario, LoopResult[]>(list.map((scenario) => [scenario, []]));
  const run = (scenario: Scenario, seconds: number) =>
    closedLoop({
      url: scenario.side === 'api' ? line.api : line.bare,
      clients: load.clients,
      seconds,
      request: scenario.request,
    });
  // a warm-up of two seconds, to compile code and open connections
  for (const scenario of list) await run(scenario, 2);
  for (let round = 0; round < load.rounds; round += 1) {
    for (const scenario of list) runs.get(scenario)?.push(await run(scenario, load.seconds));
  }
  return new Map([...runs].map(([scenario, results]) => [scenario, average(results)]));
}

function report(results: Map<Scenario, LoopResult>): void {
  const floors = new Map([...results].map(([scenario, result]) => [scenario.name, result.perSecond]));
  console.log(
    'scenario'.padEnd(24) +
      'requests/s'.padStart(12) +
      'p50 ms'.padStart(10) +
      'p99 ms'.padStart(10) +
      '  of its floor',
  );
  for (const [scenario, result] of results) {
    const floor = floors.get(scenario.floor) ?? result.perSecond;
    console.log(
      scenario.name.padEnd(24) +
        result.perSecond.toFixed(0).padStart(12) +
        result.p50Ms.toFixed(2).padStart(10) +
        result.p99Ms.toFixed(2).padStart(10) +
        `  ${((100 * result.perSecond) / floor).toFixed(0)} % of ${scenario.floor}`,
    );
  }
}
