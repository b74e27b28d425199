// A closed loop over a fixed number of tasks: each client begins its next task after finishing the last.

/**
 * @param task runs the n-th task, counted from 0
 * @returns seconds from the first start to the last end
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

/** NaN if there are no values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Events from another process that a benchmark waits for: announced by id, awaited once. */
export interface Arrivals<T> {
  /** Call it before triggering the event. @throws if it does not arrive in time */
  next(id: string): Promise<T>;
  arrive(id: string, value: T): void;
}

const arrivalTimeoutMs = 60_000; // far beyond any latency of a closed loop of 32 clients, so something is broken

export function arrivals<T>(what: string): Arrivals<T> {
  const waiting = new Map<string, (value: T) => void>();
  return {
    next: (id) => {
      const arrival = new Promise<T>((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(id);
          reject(new Error(`no ${what} for ${id} within ${arrivalTimeoutMs / 1_000} s`));
        }, arrivalTimeoutMs);
        timer.unref();
        waiting.set(id, (value) => {
          clearTimeout(timer);
          waiting.delete(id);
          resolve(value);
        });
      });
      arrival.catch(() => undefined); // the code that awaits it may already have failed
      return arrival;
    },
    arrive: (id, value) => waiting.get(id)?.(value),
  };
}
