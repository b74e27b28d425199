// Payments in an open loop: each is submitted when it is due, and measured from then on. A closed loop hides
// long waits, because its clients submit nothing while they wait.
import type { Say } from '../cli/parts/progress.ts';
import { openCount, quantile } from './closed-count.ts';
import { payClosedLoop, type PaymentLoad, type ReadyPayment, type Taken } from './payment-load.ts';
import type { Latency } from './payments-report.ts';

/** A rate in payments per second, or a share of the highest rate of a closed loop. */
export type Rate = { readonly perSecond: number } | { readonly share: number };

const warmUps = 300;
const triedClients = [8, 16, 32, 64] as const;
const triedPayments = 400; // payments for each number of clients

export interface AtRate {
  readonly load: PaymentLoad;
  readonly say: Say;
  readonly rate: Rate;
  readonly payments: number;
  readonly json: boolean;
}

export async function payAtRate({ load, say, rate, payments, json }: AtRate): Promise<void> {
  const perSecond = await perSecondOf(load, rate, say);
  const taken = await payOpenLoop(load, await load.prepare(payments), perSecond);
  const of = (kind: readonly Taken[], value: (one: Taken) => number): Latency => {
    const values = kind.map(value);
    return { p50: quantile(values, 0.5), p99: quantile(values, 0.99) };
  };
  const result = {
    payments: taken.length,
    perSecond,
    submitMs: of(taken, ({ submitMs }) => submitMs),
    toCallbackMs: {
      atOnce: of(
        taken.filter(({ answersAtOnce }) => answersAtOnce),
        ({ totalMs }) => totalMs,
      ),
      later: of(
        taken.filter(({ answersAtOnce }) => !answersAtOnce),
        ({ totalMs }) => totalMs,
      ),
    },
  };
  if (json) {
    console.log(JSON.stringify(result));
    return;
  }
  const line = (name: string, { p50, p99 }: Latency) =>
    console.log(
      `${name.padEnd(24)}p50 ${p50.toFixed(0).padStart(6)} ms   p99 ${p99.toFixed(0).padStart(6)} ms`,
    );
  console.log(
    `\n${taken.length} payments in an open loop of ${perSecond.toFixed(1)}/s, measured from when each was due:`,
  );
  line('submit', result.submitMs);
  line('to callback: at once', result.toCallbackMs.atOnce);
  line('to callback: later', result.toCallbackMs.later);
}

/** Warms the system up, and finds the highest rate of a closed loop if the rate is a share of it. */
export async function perSecondOf(load: PaymentLoad, rate: Rate, say: Say): Promise<number> {
  await payClosedLoop(load, await load.prepare(warmUps), 32);
  say(`  warmed up with ${warmUps} payments`);
  if ('perSecond' in rate) return rate.perSecond;
  let highest = 0;
  for (const clients of triedClients) {
    const { seconds } = await payClosedLoop(load, await load.prepare(triedPayments), clients);
    const perSecond = triedPayments / seconds;
    say(`  closed loop of ${clients} clients: ${perSecond.toFixed(1)}/s`);
    highest = Math.max(highest, perSecond);
  }
  return highest * rate.share;
}

/** @param onEnd called when a payment has ended, with the time at which it was due */
export async function payOpenLoop(
  load: PaymentLoad,
  ready: readonly ReadyPayment[],
  perSecond: number,
  onEnd: (taken: Taken, dueAtMs: number) => void = () => undefined,
): Promise<readonly Taken[]> {
  const all: Taken[] = [];
  await openCount({ tasks: ready.length, perSecond }, async (n, dueAtMs) => {
    const taken = await load.run(ready[n] as ReadyPayment, dueAtMs);
    all.push(taken);
    onEnd(taken, dueAtMs);
  });
  return all;
}
