/**
 * Fair queueing for the event loop, which all senders share. A payment needs some 35 passes of the event loop until it
 * is answered. In each pass it waits for the requests that begin in it. So a round begins only two milliseconds of
 * work, round robin over the senders that wait. A sender whose request blocked the event loop for longer is costly.
 * Costly senders together rest for as long as such a request took; the others go on.
 */
export interface FairQueue {
  /**
   * @param asker the sender in whose queue the request waits
   * @param begin called once; immediately if nobody waits and the round has room
   * @returns cancels the request if it has not begun; undefined: too many of the asker wait, and `begin` is never
   *   called
   */
  ask(asker: string, begin: () => void): (() => void) | undefined;
}

const roundMs = 2; // some tens of questions; under any flood, another sender's payment is slower by 35 such rounds
const longestRestMs = 50; // a cap, because the whole process may have stood still meanwhile
const maxWaiting = 4_096; // per asker: some 64 MiB with the longest headers
const maxCostly = 10_000; // askers to remember
const timerErrorMs = 1; // a timer may fire so much too early

function createFairQueue(): FairQueue {
  const lines = new Map<string, Set<() => void>>(); // queues by asker, least recently served first
  let beganAtMs: number | undefined; // when the round began; undefined: there is no round
  const costly = new Set<string>(); // askers whose last request took longer than a round
  let restUntilMs = 0; // of the costly ones

  const hasRoom = () => beganAtMs === undefined || performance.now() - beganAtMs < roundMs;
  const restsForMs = (asker: string) => (costly.has(asker) ? restUntilMs - performance.now() : 0);

  function start(asker: string, begin: () => void): void {
    const from = performance.now();
    if (beganAtMs === undefined) beginRound(from);
    // a tick that a microtask requests runs once the request can only wait
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
    // the second of two immediates, because the first may still belong to this pass of the event loop
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

/** The queue of this process. Requests wait in it when they arrive, and messages again once their body has arrived. */
export const thread = createFairQueue();
