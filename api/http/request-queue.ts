/**
 * Which requests begin in a pass of the event loop (SEC-7). A payment needs some 35 passes until it is answered, and waits
 * in each of them for whatever was begun in it: forty questions of a tenth of a millisecond each, asked again as soon
 * as they are answered, would make it three times as slow, and four hundred twenty times. So a pass begins what takes a
 * millisecond or two, and the rest waits for the next ones, in rotation by whoever asks: nobody is turned away here, and
 * nothing is slower in the whole. Whoever leaves meanwhile is not begun. What a message costs once its body is there, pace.ts spreads.
 */
export interface RequestQueue {
  /**
   * @param askerOf whose line it waits in; asked only where it has to
   * @param begin called once: at once where the pass has room
   * @returns takes it back, because its client has left; undefined: it has begun
   */
  add(askerOf: () => string, begin: () => void): (() => void) | undefined;
}

const passMs = 2; // some tens of questions; 35 passes of it are what another's payment is slower under any flood

export function createRequestQueue(): RequestQueue {
  const lines = new Map<string, Set<() => void>>(); // whose request began last stands last
  let passBeganAtMs: number | undefined;

  function beginPass(): void {
    passBeganAtMs = performance.now();
    // the second of two immediates, because the first may still belong to this pass
    setImmediate(() => setImmediate(endPass));
  }

  function endPass(): void {
    passBeganAtMs = undefined;
    if (lines.size === 0) return;
    beginPass();
    beginNext();
  }

  function beginNext(): void {
    const [next] = lines;
    if (next === undefined || !hasRoom()) return;
    const [asker, line] = next;
    lines.delete(asker);
    const [begin] = line;
    if (begin !== undefined) {
      line.delete(begin);
      if (line.size > 0) lines.set(asker, line);
      begin();
    }
    // a tick that a microtask asks for comes when nothing is left to do without waiting
    queueMicrotask(() => process.nextTick(beginNext));
  }

  function hasRoom(): boolean {
    return passBeganAtMs === undefined || performance.now() - passBeganAtMs < passMs;
  }

  return {
    add(askerOf, begin) {
      if (lines.size === 0 && hasRoom()) {
        if (passBeganAtMs === undefined) beginPass();
        begin();
        return undefined;
      }
      const asker = askerOf();
      const line = lines.get(asker) ?? new Set();
      lines.set(asker, line.add(begin));
      return () => {
        line.delete(begin);
        if (line.size === 0 && lines.get(asker) === line) lines.delete(asker);
      };
    },
  };
}
