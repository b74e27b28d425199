// `npm run bench -- overload`: eight payment systems submit payments faster than the gateway can finish them
// (OVL-1). bench/README.md says what is measured and what is not.
import { setTimeout as delay } from 'node:timers/promises';
import { UsageError } from '../cli/errors.ts';
import type { ThrowawayPlace } from '../cli/throwaway.ts';
import { closedCount, openCount, quantile } from './closed-count.ts';
import { help, positive, readOptions } from './options.ts';
import { openPaymentLoad, type Payer, type PaymentLoad, type ReadyPayment } from './payment-load.ts';
import { startPaymentServices } from './payment-services.ts';

const optionTable = {
  times: { type: 'string', default: '2' },
  seconds: { type: 'string', default: '30' },
} as const;

export const payers: readonly Payer[] = [
  ['SGDFAST', 'SG', 'SG/SGD/TH/THB', 'SGD/1000'],
  ['MYRRPP', 'MY', 'MY/MYR/SG/SGD', 'MYR/1000'],
  ['THBPPAY', 'TH', 'TH/THB/MY/MYR', 'THB/10000'],
  ['PHPINST', 'PH', 'PH/PHP/SG/SGD', 'PHP/10000'],
  ['INRUPI', 'IN', 'IN/INR/SG/SGD', 'INR/10000'],
  ['IDRBFAST', 'ID', 'ID/IDR/SG/SGD', 'IDR/1000000'],
  ['HKDFPS', 'HK', 'HK/HKD/JP/JPY', 'HKD/1000'],
  ['EURTIPS', 'DE', 'DE/EUR/TH/THB', 'EUR/100'],
].map(([system = '', country = '', corridor = '', amount = '']) => ({
  system,
  bic: `LOTU${country}S0`,
  corridor,
  amount,
}));

const concurrency = 32;
const closedPayments = 800; // number of payments; the first half is the warm-up
const settleMs = 5_000; // time for the queues to reach their steady length; not counted as throughput
const probeEveryMs = 250;
const recoveredProbes = 4; // number of consecutive fast probes after which the gateway counts as recovered
const longestRecoveryMs = 60_000;

/** The outcomes of the submissions: response times in milliseconds by verdict, and counts by answer. */
interface Outcomes {
  readonly accepted: number[];
  readonly refused: number[];
  readonly codes: Map<string, number>;
}

export async function benchOverload(argv: readonly string[], place: ThrowawayPlace): Promise<void> {
  const values = readOptions(argv, optionTable);
  const times = positive(values.times, '--times', 'fraction');
  const seconds = positive(values.seconds, '--seconds');
  if (seconds * 1_000 <= settleMs)
    throw new UsageError(
      `--seconds must be more than ${settleMs / 1_000}: the first ${settleMs / 1_000} are not counted. ${help}`,
    );
  const services = await startPaymentServices({
    place,
    say: (line) => console.log(line),
    // No rate limit per client, because this benchmark measures the overload of the gateway.
    settings: { MESSAGES_PER_MINUTE: '0' },
  });
  const finals: { readonly uetr: string; readonly status: string; readonly atMs: number }[] = [];
  const load = await openPaymentLoad(services.apiUrl, {
    concurrency: 512, // enough connections, so that the open loop never waits for one
    payers,
    onFinal: (uetr, status) => finals.push({ uetr, status, atMs: performance.now() }),
    changes: { priority: 'HIGH' },
  });
  place.atEnd(() => load.close());
  const sustainable = await measureSustainable(load);
  const idleMs = await idleSubmit(load);
  const perSecond = Math.round(sustainable * times);
  console.log(
    `  sustainable ${sustainable.toFixed(1)}/s in a closed loop of ${concurrency}; idle submit ${idleMs.toFixed(0)} ms`,
  );
  console.log(`  preparing ${perSecond * seconds} payments`);
  const ready = await load.prepare(perSecond * seconds);
  finals.length = 0;
  const beganAtMs = performance.now();
  const outcomes = await openLoop(load, ready, perSecond);
  const endedAtMs = performance.now();
  const recoveryMs = await recovery(load, idleMs);
  const counted = new Set(ready.map(({ uetr }) => uetr)); // not the probes
  const finalsOfLoad = () => finals.filter(({ uetr }) => counted.has(uetr));
  await untilAllFinal(finalsOfLoad, outcomes.accepted.length);
  const finished = finalsOfLoad().filter(
    ({ atMs }) => atMs > beganAtMs + settleMs && atMs <= endedAtMs,
  ).length;
  const finishedPerSecond = finished / ((endedAtMs - beganAtMs - settleMs) / 1_000);
  const show = (name: string, of: readonly number[]) =>
    console.log(
      `${name.padEnd(12)} ${String(of.length).padStart(6)}   p50 ${quantile(of, 0.5).toFixed(0)} ms   p99 ${quantile(of, 0.99).toFixed(0)} ms   most ${Math.max(0, ...of).toFixed(0)} ms`,
    );
  console.log(`\n${perSecond}/s for ${seconds} s from ${payers.length} payment systems, all HIGH:`);
  show('accepted', outcomes.accepted);
  show('refused', outcomes.refused);
  console.log(`answers      ${[...outcomes.codes].map(([code, count]) => `${code}: ${count}`).join(', ')}`);
  console.log(
    `finished     ${finishedPerSecond.toFixed(1)}/s, ${((100 * finishedPerSecond) / sustainable).toFixed(0)} % of the sustainable rate`,
  );
  const rejected = finalsOfLoad().filter(({ status }) => status !== 'ACCC').length;
  console.log(`rejected     ${rejected} of ${outcomes.accepted.length} accepted payments`);
  console.log(`recovered    ${(recoveryMs / 1_000).toFixed(1)} s after the load ended`);
}

/** Measures the payments per second of a closed loop, after a warm-up. */
async function measureSustainable(load: PaymentLoad): Promise<number> {
  const runAll = async () => {
    const ready = await load.prepare(closedPayments / 2);
    return closedCount({ tasks: ready.length, concurrency }, async (n) => {
      await load.run(ready[n] as ReadyPayment);
    });
  };
  await runAll();
  return closedPayments / 2 / (await runAll());
}

async function idleSubmit(load: PaymentLoad): Promise<number> {
  const times: number[] = [];
  for (const payment of await load.prepare(20)) {
    times.push((await load.run(payment)).submitMs);
    await delay(100);
  }
  return quantile(times, 0.5);
}

/**
 * Sends each payment at its due time, without waiting for earlier answers. Response times are measured from
 * the due time.
 */
async function openLoop(
  load: PaymentLoad,
  ready: readonly ReadyPayment[],
  perSecond: number,
): Promise<Outcomes> {
  const outcomes: Outcomes = { accepted: [], refused: [], codes: new Map() };
  await openCount({ tasks: ready.length, perSecond }, async (n, dueAtMs) => {
    const { httpStatus, status } = await load.submit(ready[n] as ReadyPayment);
    const tookMs = performance.now() - dueAtMs;
    const code = status ?? String(httpStatus);
    outcomes.codes.set(code, (outcomes.codes.get(code) ?? 0) + 1);
    if (status === 'ACTC') outcomes.accepted.push(tookMs);
    else outcomes.refused.push(tookMs);
  });
  return outcomes;
}

/**
 * Measures the milliseconds until single submissions take at most about twice as long as on the idle system.
 */
async function recovery(load: PaymentLoad, idleMs: number): Promise<number> {
  const ready = await load.prepare(longestRecoveryMs / probeEveryMs);
  const beganAtMs = performance.now();
  let inARow = 0;
  let sinceMs = beganAtMs;
  for (const payment of ready) {
    const { status, submitMs } = await load.submit(payment);
    const isFast = status === 'ACTC' && submitMs <= 2 * idleMs + 20;
    if (isFast && inARow === 0) sinceMs = performance.now();
    inARow = isFast ? inARow + 1 : 0;
    if (inARow === recoveredProbes) return sinceMs - beganAtMs;
    await delay(probeEveryMs);
  }
  return Infinity;
}

async function untilAllFinal(finals: () => readonly unknown[], count: number): Promise<void> {
  const deadline = performance.now() + longestRecoveryMs;
  while (finals().length < count && performance.now() < deadline) await delay(100);
}
