/**
 * Fair queueing for the event loop, which all senders share. A payment needs about 35 passes of the event
 * loop until it is answered. In each pass it waits for the requests that start in that pass. So each round
 * starts at most two milliseconds of work, round robin over the waiting senders. A sender is costly if its
 * request blocked the event loop for longer than a round. All costly senders then pause for as long as that
 * request took, while the others continue.
 */
export interface FairQueue {
  /**
   * Starts a request now, or when it is its sender's turn.
   * @param asker the sender in whose queue the request waits
   * @param begin called once; immediately if nobody waits and the round has room
   * @returns a function that cancels the request if it has not started. Undefined: too many requests of the
   * asker wait, and `begin` is never called.
   */
  ask(asker: string, begin: () => void): (() => void) | undefined;
}

// some tens of queries; under any flood, another sender's payment is delayed by 35 such rounds
const roundMs = 2;
const longestRestMs = 50; // upper limit of a pause, in case the whole process stood still
const maxWaiting = 4_096; // per asker; about 64 MiB with the longest headers
const maxCostly = 10_000; // maximum number of remembered askers
const timerErrorMs = 1; // a timer may fire this much too early

function createFairQueue(): FairQueue {
  const lines = new Map<string, Set<() => void>>(); // queues by asker, least recently served first
  let beganAtMs: number | undefined; // start of the current round; undefined if there is none
  const costly = new Set<string>(); // askers whose last request took longer than a round
  let restUntilMs = 0; // end of the pause of all costly askers

  const hasRoom = () => beganAtMs === undefined || performance.now() - beganAtMs < roundMs;
  const restsForMs = (asker: string) => (costly.has(asker) ? restUntilMs - performance.now() : 0);

  function start(asker: string, begin: () => void): void {
    const from = performance.now();
    if (beganAtMs === undefined) beginRound(from);
    // a nextTick callback from a microtask runs as soon as the request only waits
    queueMicrotask(() =>
      process.nextTick(() => {
        noteCost(asker, performance.now() - from);
        startNext();
      }),
    );
    begin();
  }

  function noteCost(asker: string, tookMs: number): void {
    costly.delete(asker);
    if (tookMs <= roundMs) return;
    if (costly.size >= maxCostly) costly.clear();
    costly.add(asker);
    const restMs = Math.min(tookMs, longestRestMs);
    restUntilMs = performance.now() + restMs;
    setTimeout(startNext, Math.ceil(restMs) + timerErrorMs);
  }

  function beginRound(nowMs: number): void {
    beganAtMs = nowMs;
    // use two nested immediates, because the first may still run in this pass of the event loop
    setImmediate(() => setImmediate(endRound));
  }

  function endRound(): void {
    beganAtMs = undefined;
    startNext();
  }

  function startNext(): void {
    if (!hasRoom()) return;
    for (const [asker, line] of lines) {
      const [first] = line;
      if (first === undefined || restsForMs(asker) > 0) continue;
      line.delete(first);
      lines.delete(asker);
      if (line.size > 0) lines.set(asker, line);
      start(asker, first);
      return;
    }
  }

  return {
    ask(asker, begin) {
      if (lines.size === 0 && hasRoom() && restsForMs(asker) <= 0) {
        start(asker, begin);
        return () => undefined;
      }
      const line = lines.get(asker) ?? new Set();
      if (line.size >= maxWaiting) return undefined;
      lines.set(asker, line.add(begin));
      return () => {
        line.delete(begin);
        if (line.size === 0 && lines.get(asker) === line) lines.delete(asker);
      };
    },
  };
}

/**
 * The queue of this process. Requests wait in it on arrival. Messages wait in it again once their body has
 * arrived.
 */
export const thread = createFairQueue();
