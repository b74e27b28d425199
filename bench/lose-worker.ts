// A worker host vanishes under load (`--lose-worker`): its link goes down, so that nobody gets a FIN or RST, and
// its process is killed. Every payment must still end ACCC, with one final message.
import { setTimeout as delay } from 'node:timers/promises';
import type { ThrowawayPlace } from '../cli/throwaway.ts';
import type { Say } from '../cli/parts/progress.ts';
import { payOpenLoop, perSecondOf, type Rate } from './at-rate.ts';
import { quantile } from './closed-count.ts';
import { openPaymentLoad } from './payment-load.ts';
import type { PaymentServices, StartedWorker } from './payment-services.ts';

const usualRate: Rate = { share: 0.5 };
const loadSeconds = 40;
const lossAfterMs = 10_000;
const finalWithinMs = 180_000; // far longer than any lease of a lost worker
const connections = 512;

export interface LossOptions {
  readonly place: ThrowawayPlace;
  readonly services: PaymentServices;
  readonly say: Say;
  readonly rate: Rate | undefined;
  readonly json: boolean;
}

interface Ended {
  readonly submittedAtMs: number;
  readonly finalAtMs: number;
  readonly totalMs: number;
}

/** @throws Error if a payment is lost, or gets two different final messages */
export async function loseWorker(options: LossOptions, lost: StartedWorker): Promise<void> {
  const { place, services, say, rate = usualRate, json } = options;
  const finals = new Map<string, Set<string>>();
  const load = await openPaymentLoad(services.apiUrls, {
    ...{ concurrency: connections, receiverAddress: services.receiverAddress, finalWithinMs },
    onFinal: (uetr, _, messageId) => void finals.set(uetr, (finals.get(uetr) ?? new Set()).add(messageId)),
  });
  place.atEnd(() => load.close());
  const perSecond = await perSecondOf(load, rate, say);
  const ready = await load.prepare(Math.round(perSecond * loadSeconds));
  const ended: Ended[] = [];
  const paid = payOpenLoop(load, ready, perSecond, ({ submitMs, totalMs }, dueAtMs) => {
    ended.push({ submittedAtMs: dueAtMs + submitMs, finalAtMs: dueAtMs + totalMs, totalMs });
  });
  const lostAtMs = await Promise.race([vanish(lost), paid.then(() => NaN)]);
  await paid;
  const waiting = ended.filter((one) => one.submittedAtMs <= lostAtMs && one.finalAtMs > lostAtMs);
  const later = ended.filter((one) => one.submittedAtMs > lostAtMs);
  const doubled = [...finals.values()].filter((messageIds) => messageIds.size > 1).length;
  const result = {
    perSecond,
    payments: ended.length,
    waitingAtLoss: waiting.length,
    takenOverSeconds: Math.max(0, ...waiting.map(({ finalAtMs }) => finalAtMs - lostAtMs)) / 1_000,
    slowestSubmittedLaterSeconds: Math.max(0, ...later.map(({ totalMs }) => totalMs)) / 1_000,
    p50Ms: quantile(
      ended.map(({ totalMs }) => totalMs),
      0.5,
    ),
    doubled,
  };
  if (json) console.log(JSON.stringify(result));
  else show(result);
  if (doubled > 0) throw new Error(`${doubled} payments got two different final messages.`);
}

/** @returns when the host vanished, by the monotonic clock */
async function vanish({ host, pid }: StartedWorker): Promise<number> {
  await delay(lossAfterMs);
  host.cutOff();
  process.kill(pid, 'SIGKILL');
  return performance.now();
}

function show(result: {
  readonly perSecond: number;
  readonly payments: number;
  readonly waitingAtLoss: number;
  readonly takenOverSeconds: number;
  readonly slowestSubmittedLaterSeconds: number;
  readonly p50Ms: number;
  readonly doubled: number;
}): void {
  console.log(
    `\n${result.payments} payments in an open loop of ${result.perSecond.toFixed(1)}/s; one worker host vanished:`,
  );
  console.log(`lost or doubled                     ${result.doubled}`);
  console.log(`accepted, not final at the loss     ${result.waitingAtLoss}`);
  console.log(`all of those final after            ${result.takenOverSeconds.toFixed(1)} s`);
  console.log(`slowest payment submitted later     ${result.slowestSubmittedLaterSeconds.toFixed(1)} s`);
  console.log(`to callback p50, whole run          ${result.p50Ms.toFixed(0)} ms`);
}
