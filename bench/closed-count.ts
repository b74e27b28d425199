// Runs a closed loop over a fixed number of tasks. Each client begins its next task when it has finished the
// previous one.

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
      arrival.catch(() => undefined); // no unhandled rejection if the awaiting code has already failed
      return arrival;
    },
    arrive: (id, value) => waiting.get(id)?.(value),
  };
}
