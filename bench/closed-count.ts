// Runs a fixed number of tasks. In a closed loop, each client begins its next task when it has finished the
// previous one. In an open loop, each task begins when it is due.
import { setTimeout as delay } from 'node:timers/promises';

/**
 * @param task runs the n-th task; the first has number 0
 * @returns seconds from the start of the first task to the end of the last
 */
export async function closedCount(
  load: { readonly tasks: number; readonly concurrency: number },
  task: (n: number) => Promise<void>,
): Promise<number> {
  const start = performance.now();
  let next = 0;
  async function client(): Promise<void> {
    while (next < load.tasks) await task(next++);
  }
  await Promise.all(Array.from({ length: Math.min(load.concurrency, load.tasks) }, client));
  return (performance.now() - start) / 1_000;
}

/** Runs each task when it is due, without waiting for earlier ones. */
export async function openCount(
  load: { readonly tasks: number; readonly perSecond: number },
  task: (n: number, dueAtMs: number) => Promise<void>,
): Promise<void> {
  const beganAtMs = performance.now();
  const runs = Array.from({ length: load.tasks }, async (_, n) => {
    const dueAtMs = beganAtMs + (n * 1_000) / load.perSecond;
    await delay(Math.max(0, dueAtMs - performance.now()));
    await task(n, dueAtMs);
  });
  await Promise.all(runs);
}

/** Returns the value below which `share` of the values lie, or NaN if there are no values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Lets a benchmark wait for events of another process. Each event has an id and is awaited once. */
export interface Arrivals<T> {
  /**
   * Waits for the event. Must be called before the event is triggered.
   * @throws Error if the event does not arrive in time
   */
  next(id: string): Promise<T>;
  arrive(id: string, value: T): void;
}

const arrivalTimeoutMs = 60_000; // far longer than any latency of 32 clients, so a timeout means a defect

export function arrivals<T>(what: string, timeoutMs = arrivalTimeoutMs): Arrivals<T> {
  const waiting = new Map<string, (value: T) => void>();
  return {
    next: (id) => {
      const arrival = new Promise<T>((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(id);
          reject(new Error(`no ${what} for ${id} within ${timeoutMs / 1_000} s`));
        }, timeoutMs);
        timer.unref();
        waiting.set(id, (value) => {
          clearTimeout(timer);
          waiting.delete(id);
          resolve(value);
        });
      });
      arrival.catch(() => undefined); // no unhandled rejection if the awaiting code has already failed
      return arrival;
    },
    arrive: (id, value) => waiting.get(id)?.(value),
  };
}
