/**
 * Fair queueing for the event loop, which all senders share. A payment needs some 35 passes of the event loop until it
 * is answered. In each pass it waits for the requests that begin in it. So a round begins only two milliseconds of
 * work, round robin over the senders that wait. If one request blocks the event loop for longer, the queue then rests
 * for the excess time.
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

function createFairQueue(): FairQueue {
  const lines = new Map<string, Set<() => void>>(); // queues by asker, least recently served first
  let beganAtMs: number | undefined; // when the round began; undefined: there is no round
  let longestMs = 0; // the longest time for which a request of the round blocked the event loop

  const hasRoom = () => beganAtMs === undefined || performance.now() - beganAtMs < roundMs;

  function start(begin: () => void): void {
    const from = performance.now();
    if (beganAtMs === undefined) beginRound(from);
    // a tick that a microtask requests runs once the request can only wait
    queueMicrotask(() =>
      process.nextTick(() => {
        longestMs = Math.max(longestMs, performance.now() - from);
        startNext();
      }),
    );
    begin();
  }

  function beginRound(nowMs: number): void {
    beganAtMs = nowMs;
    // the second of two immediates, because the first may still belong to this pass of the event loop
    setImmediate(() => setImmediate(endRound));
  }

  function endRound(): void {
    const restMs = Math.min(longestMs - roundMs, longestRestMs);
    longestMs = 0;
    if (restMs >= 1) {
      setTimeout(endRound, restMs);
      return;
    }
    beganAtMs = undefined;
    startNext();
  }

  function startNext(): void {
    const [[asker, line] = []] = lines;
    const [first] = line ?? [];
    if (asker === undefined || line === undefined || first === undefined || !hasRoom()) return;
    line.delete(first);
    lines.delete(asker);
    if (line.size > 0) lines.set(asker, line);
    start(first);
  }

  return {
    ask(asker, begin) {
      if (lines.size === 0 && hasRoom()) {
        start(begin);
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
