/**
 * Fair queueing of the one thread that serves everybody. A payment needs some 35 passes of the event loop until
 * it is answered, and waits in each of them for what was begun in it. So a round begins what takes two milliseconds, of those
 * who wait in rotation (round robin). After one that held the thread for longer by itself, the queue rests for as long.
 */
export interface FairQueue {
  /**
   * @param asker whose line it waits in
   * @param begin called once: at once where nobody waits and the round has room
   * @returns takes it back, if it has not begun; undefined: too many of its asker wait, and it is not called
   */
  ask(asker: string, begin: () => void): (() => void) | undefined;
}

const roundMs = 2; // some tens of questions; 35 rounds of it are what another's payment is slower under any flood
const longestRestMs = 50; // it may be that the whole process stood still meanwhile
const maxWaiting = 4_096; // of one asker: some 64 MiB, of the longest headers

function createFairQueue(): FairQueue {
  const lines = new Map<string, Set<() => void>>(); // by asker; whose request began last stands last
  let beganAtMs: number | undefined; // of the round; undefined: there is none
  let longestMs = 0; // of those that were begun in the round

  const hasRoom = () => beganAtMs === undefined || performance.now() - beganAtMs < roundMs;

  function start(begin: () => void): void {
    const from = performance.now();
    if (beganAtMs === undefined) beginRound(from);
    // a tick that a microtask asks for comes when nothing is left to do without waiting
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

/** Of this process: requests wait in it as they come, and messages again once their body is there. */
export const thread = createFairQueue();
