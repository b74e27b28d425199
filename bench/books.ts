// `npm run bench -- books`: times the books of a day of many payments, as JSON, CSV and camt.054, against the same rows
// read by bare statements. It also measures the memory of the api, which must not grow with the day. More in
// bench/README.md.
import { existsSync, readFileSync } from 'node:fs';
import { setInterval, clearInterval } from 'node:timers';
import pg from 'pg';
import { sayOnTerminal } from '../cli/parts/progress.ts';
import type { ThrowawayPlace } from '../cli/throwaway.ts';
import { connect } from '../db/pool/connection.ts';
import { clientCredentials } from '../sandbox/tokens.ts';
import { copyDecided } from '../fixtures/many-payments.ts';
import { positive, readOptions } from './options.ts';
import { openPaymentLoad, type ReadyPayment } from './payment-load.ts';
import { startPaymentServices, type PaymentServices } from './payment-services.ts';

const options = { payments: { type: 'string', default: '100000' } } as const;

const system = 'SGDFAST'; // the load generator's payment system
const dayMs = 86_400_000;
const copiesAtOnce = 10_000; // rows per statement
const bareRowsAtOnce = 5_000;
const rounds = 2; // the second round counts: code is then compiled and pages are cached

/** One way to read the whole day. @returns number of bytes received */
type Read = () => Promise<number>;

export async function benchBooks(argv: readonly string[], place: ThrowawayPlace): Promise<void> {
  const payments = positive(readOptions(argv, options).payments, '--payments');
  const services = await startPaymentServices({ place, say: sayOnTerminal });
  const date = new Date(Date.now() - 3 * dayMs).toISOString().slice(0, 10);
  await fillDay(services, { payments, date });
  const reads = await readsOf(services, date);
  const found = new Map<string, Figures>();
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, read] of reads) {
      found.set(name, await measured(services.pids.api, read));
      sayOnTerminal(`  ${name}: ${(found.get(name)?.seconds ?? 0).toFixed(1)} s`);
    }
  }
  console.log(render(payments, found));
}

/** Makes one payment, then copies it. */
async function fillDay(
  { apiUrl, databaseUrl }: PaymentServices,
  { payments, date }: { readonly payments: number; readonly date: string },
): Promise<void> {
  const load = await openPaymentLoad(apiUrl, { concurrency: 1 });
  const [ready] = await load.prepare(1);
  const { id: of } = await load.run(ready as ReadyPayment);
  await load.close();
  const db = connect(databaseUrl, { applicationName: 'isthmus-bench-books' });
  const begin = Date.parse(`${date}T00:00:00Z`);
  for (let made = 0; made < payments; made += copiesAtOnce) {
    const decidedAt = new Date(begin + (made / payments) * (dayMs - 60_000)).toISOString();
    await copyDecided(db, { of, count: Math.min(copiesAtOnce, payments - made), decidedAt });
    sayOnTerminal(`  ${Math.min(made + copiesAtOnce, payments)} of ${payments} payments`);
  }
  await db.destroy();
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('vacuum analyze');
  await client.end();
}

async function readsOf(
  { apiUrl, databaseUrl }: PaymentServices,
  date: string,
): Promise<ReadonlyMap<string, Read>> {
  const authorization = `Bearer ${await clientCredentials({ tokenUrl: `${apiUrl}/oauth/token` }).tokenFor(system)}`;
  const get = async (path: string, further = ''): Promise<Response> => {
    const response = await fetch(`${apiUrl}${path}?date=${date}${further}`, { headers: { authorization } });
    if (!response.ok) throw new Error(`${path}: HTTP ${response.status} ${await response.text()}`);
    return response;
  };
  return new Map<string, Read>([
    ['bare rows', () => readBare(databaseUrl, date)],
    ['JSON', async () => drain(await get('/reconciliation'))],
    ['CSV', async () => drain(await get('/reconciliation/csv'))],
    [
      'camt.054',
      async () => {
        let bytes = 0;
        for (let page = 1; ; page += 1) {
          const text = await (await get('/reconciliation/camt054', `&page=${page}`)).text();
          bytes += text.length;
          if (text.includes('<LastPgInd>true<')) return bytes;
        }
      },
    ],
  ]);
}

async function drain({ body }: Response): Promise<number> {
  let bytes = 0;
  for await (const chunk of body ?? []) bytes += (chunk as Uint8Array).length;
  return bytes;
}

/** The floor: reads the rows of the day page by page through an index, converts them to JSON, and discards them. */
async function readBare(databaseUrl: string, date: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  let bytes = 0;
  let after = [`${date}T00:00:00Z`, '00000000-0000-0000-0000-000000000000'];
  for (;;) {
    const { rows } = await client.query<{ at: string; uetr: string }>(
      `select d.decided_at::text as at, d.uetr, d.status, p.source_amount, p.source_currency, p.destination_amount,
        p.destination_currency, p.debtor_agent_id, p.creditor_agent_id, p.source_references
      from decisions d join payments p on p.uetr = d.uetr
      where (d.decided_at, d.uetr) > ($1::timestamptz, $2::uuid) and d.decided_at < $3::date + interval '1 day'
      order by d.decided_at, d.uetr limit ${bareRowsAtOnce}`,
      [...after, date],
    );
    for (const row of rows) bytes += JSON.stringify(row).length;
    const last = rows.at(-1);
    if (last === undefined) break;
    after = [last.at, last.uetr];
  }
  await client.end();
  return bytes;
}

interface Figures {
  readonly seconds: number;
  readonly bytes: number;
  /** Memory of the api in MiB: before the read, and the maximum during it. Undefined without /proc. */
  readonly memory: readonly [number, number] | undefined;
}

async function measured(pid: number, read: Read): Promise<Figures> {
  const before = memoryOf(pid);
  let most = before ?? 0;
  const sampling = setInterval(() => {
    most = Math.max(most, memoryOf(pid) ?? 0);
  }, 50);
  const begun = performance.now();
  const bytes = await read().finally(() => clearInterval(sampling));
  const seconds = (performance.now() - begun) / 1_000;
  return { seconds, bytes, memory: before === undefined ? undefined : [before, most] };
}

function memoryOf(pid: number): number | undefined {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return undefined;
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(file, 'utf8'))?.[1]) / 1_024;
}

function render(payments: number, found: ReadonlyMap<string, Figures>): string {
  const floor = found.get('bare rows')?.seconds ?? NaN;
  const cell = (text: string) => text.padStart(14);
  const lines = [...found].map(([name, { seconds, bytes, memory }]) =>
    [
      name.padEnd(12),
      cell(seconds.toFixed(1)),
      cell((payments / seconds).toFixed(0)),
      cell(`${((100 * floor) / seconds).toFixed(0)} %`),
      cell((bytes / 2 ** 20).toFixed(1)),
      cell(memory?.map((one) => one.toFixed(0)).join(' to ') ?? '-'),
    ].join(''),
  );
  const head = ['seconds', 'per second', 'of the floor', 'MiB', 'api, MiB'].map(cell).join('');
  return [`\nThe book of ${payments} payments of ${system}`, `${''.padEnd(12)}${head}`, ...lines].join('\n');
}
