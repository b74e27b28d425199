/**
 * Which requests begin in a pass of the event loop (SEC-7). A payment needs some 35 passes until it is answered, and
 * waits in each of them for whatever was begun in it: forty questions of a tenth of a millisecond each, asked again as
 * soon as they are answered, would make it three times as slow, and four hundred twenty times. So a pass begins what
 * takes a millisecond or two. The rest waits for the next ones, in rotation by whoever asks, and of theirs by
 * connection: nothing is slower in the whole, and nothing is begun for a client that has left. Only where thousands of one
 * asker wait already is one turned away. What a message costs once its body is there, pace.ts spreads.
 */
import { createRotation, type Rotation } from './rotation.ts';

export interface RequestQueue {
  /**
   * @param askerOf whose line it waits in; asked only where it has to
   * @param connection that it came by
   * @param begin called once: at once where the pass has room
   * @param refuse called instead of it, where too many of its asker wait: of those it is the last one of the connection with
   * the most
   * @returns takes it back, because its client has left; undefined: it has begun, or is refused
   */
  add(askerOf: () => string, connection: object, request: QueuedRequest): (() => void) | undefined;
}

export interface QueuedRequest {
  readonly begin: () => void;
  readonly refuse: () => void;
}

const defaultMaxWaiting = 4_096; // of one asker: some 64 MiB, of the longest headers

const passMs = 2; // some tens of questions; 35 passes of it are what another's payment is slower under any flood

export function createRequestQueue({ maxWaiting = defaultMaxWaiting } = {}): RequestQueue {
  const lines = new Map<string, Rotation<QueuedRequest>>(); // by asker; whose request began last stands last
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
    if (lines.size === 0 || !hasRoom()) return;
    takeFirst()?.begin();
    // a tick that a microtask asks for comes when nothing is left to do without waiting
    queueMicrotask(() => process.nextTick(beginNext));
  }

  function takeFirst(): QueuedRequest | undefined {
    const [[asker, line] = []] = lines;
    if (asker === undefined || line === undefined) return undefined;
    const first = line.takeFirst();
    lines.delete(asker);
    if (line.size > 0) lines.set(asker, line);
    return first;
  }

  function takeOut(asker: string, request: QueuedRequest): void {
    const line = lines.get(asker);
    line?.takeOut(request);
    if (line?.size === 0) lines.delete(asker);
  }

  function hasRoom(): boolean {
    return passBeganAtMs === undefined || performance.now() - passBeganAtMs < passMs;
  }

  return {
    add(askerOf, connection, request) {
      if (lines.size === 0 && hasRoom()) {
        if (passBeganAtMs === undefined) beginPass();
        request.begin();
        return undefined;
      }
      const asker = askerOf();
      const line = lines.get(asker) ?? createRotation();
      if (line.size >= maxWaiting) {
        const last = line.lastOfMost(connection);
        if (last === undefined) {
          request.refuse();
          return undefined;
        }
        line.takeOut(last);
        last.refuse();
      }
      line.put(connection, request);
      lines.set(asker, line);
      return () => takeOut(asker, request);
    },
  };
}
