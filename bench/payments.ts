// `npm run bench -- payments`: measures the cost and speed of a payment, and compares it with two floors. A
// floor is an empty workflow on the same Temporal server (floor/). Payments and floors run in turns, so that a
// busy machine slows all alike. See bench/README.md.
import { writeFileSync } from 'node:fs';
import { UsageError } from '../cli/errors.ts';
import type { ThrowawayPlace } from '../cli/throwaway.ts';
import { payAtRate, type Rate } from './at-rate.ts';
import { isSaturated, limitsOf, renderByWorkers } from './by-workers.ts';
import { comparePayments, type ComparisonPlan } from './compare-payments.ts';
import { loseWorker } from './lose-worker.ts';
import { help, positive, readOptions } from './options.ts';
import { openPaymentLoad } from './payment-load.ts';
import { startPaymentServices } from './payment-services.ts';
import { renderReport, type PaymentsResult } from './payments-report.ts';
import { measuredFigures, readFlushMs, readStoredBytes, type MeasuredRun } from './service-times.ts';

const optionTable = {
  payments: { type: 'string', default: '1500' },
  concurrency: { type: 'string', default: '32' },
  /** Encrypts stored data, as SEALING_KEYS does in production (SEC-3). */
  sealed: { type: 'boolean', default: false },
  /** Prints one JSON object instead of the table; progress goes to standard error. */
  json: { type: 'boolean', default: false },
  /** Writes the service times to this file, for `isthmus size --measured`. */
  'measure-size': { type: 'string' },
  /** Open loop: a number of payments per second, or `70%` of the highest rate of a closed loop. */
  rate: { type: 'string' },
  engine: { type: 'string', default: 'dev' },
  /** Numbers of workers, such as `1,2,4`, measured one after the other until more bring less than 5 %. */
  workers: { type: 'string', default: '1' },
  hosts: { type: 'boolean', default: false },
  'lose-worker': { type: 'boolean', default: false },
} as const;

// enough connections in an open loop, so that no payment waits for one
const openLoopConnections = 512;

export async function benchPayments(argv: readonly string[], place: ThrowawayPlace): Promise<void> {
  const values = readPaymentOptions(argv);
  const { plan, rate, losesWorker, workers } = values;
  const say = (line: string) => void (values.json ? process.stderr : process.stdout).write(`${line}\n`);
  const isClosed = rate === undefined && !losesWorker;
  const services = await startPaymentServices({
    ...{ place, say, isSealed: values.sealed, withFloor: isClosed },
    ...{ onPostgres: values.onPostgres, onHosts: values.hosts, apis: values.onPostgres ? 2 : 1 },
  });
  const stored = () => readStoredBytes(services.databaseUrl);
  let running = 1;
  const addUpTo = async (count: number) => {
    for (; running < count; running += 1) await services.addWorker();
  };
  if (losesWorker) {
    await addUpTo(Math.max(...workers) - 1);
    await loseWorker({ place, services, say, rate, json: values.json }, await services.addWorker());
    return;
  }
  const load = await openPaymentLoad(services.apiUrls, {
    concurrency: isClosed ? plan.concurrency : openLoopConnections,
    receiverAddress: services.receiverAddress,
  });
  place.atEnd(() => load.close());
  if (rate !== undefined) {
    await addUpTo(Math.max(...workers));
    await payAtRate({ load, say, rate, payments: plan.payments, json: values.json });
    return;
  }
  const results: PaymentsResult[] = [];
  for (const count of workers) {
    await addUpTo(count);
    const before = await stored();
    const result = await comparePayments({ place, services, load, say }, { ...plan, workers: count });
    if (values.sizeFile !== undefined) {
      const flushMs = await readFlushMs(services.databaseUrl);
      writeSize(values.sizeFile, result, { flushMs, stored: { before, after: await stored() } });
    }
    console.log(values.json ? JSON.stringify(result) : renderReport(result));
    results.push(result);
    if (isSaturated(results)) break;
  }
  if (results.length < 2) return;
  console.log(values.json ? JSON.stringify({ limits: limitsOf(results) }) : renderByWorkers(results));
}

function writeSize(
  file: string,
  { payments }: PaymentsResult,
  also: Pick<MeasuredRun, 'flushMs' | 'stored'>,
): void {
  const measured = measuredFigures('payments', { ...payments, answersAtOnce: 0.5, ...also });
  writeFileSync(file, `${JSON.stringify(measured, undefined, 2)}\n`);
}

function readPaymentOptions(argv: readonly string[]) {
  const values = readOptions(argv, optionTable);
  const plan: Omit<ComparisonPlan, 'workers'> = {
    payments: positive(values.payments, '--payments'),
    concurrency: positive(values.concurrency, '--concurrency'),
  };
  const workers = values.workers.split(',').map((one) => positive(one, '--workers'));
  const losesWorker = values['lose-worker'];
  if (values.engine !== 'dev' && values.engine !== 'postgres')
    throw new UsageError(`--engine ${values.engine}: it takes dev or postgres. ${help}`);
  if (losesWorker && !(values.hosts && Math.max(...workers) >= 2))
    throw new UsageError(`--lose-worker needs --hosts and at least --workers 2. ${help}`);
  const sizeFile = values['measure-size'];
  // With --engine postgres, Temporal and Isthmus share a Postgres server, and its CPU cannot be divided.
  const isOther = values.engine === 'postgres' || values.rate !== undefined || losesWorker;
  if (sizeFile !== undefined && isOther)
    throw new UsageError(
      `--measure-size takes neither --engine postgres nor --rate nor --lose-worker. ${help}`,
    );
  return {
    ...{ plan, losesWorker, json: values.json, sealed: values.sealed, hosts: values.hosts },
    onPostgres: values.engine === 'postgres',
    workers: workers.toSorted((a, b) => a - b),
    rate: values.rate === undefined ? undefined : readRate(values.rate),
    sizeFile,
  };
}

function readRate(text: string): Rate {
  const [number = '', more] = text.split('%');
  const value = positive(number, '--rate', 'fraction');
  return more === undefined ? { perSecond: value } : { share: value / 100 };
}
