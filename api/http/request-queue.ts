/**
 * Which requests begin in a pass of the event loop (SEC-7). A payment needs some 35 passes until it is answered, and
 * waits in each of them for whatever was begun in it: forty questions of a tenth of a millisecond each, asked again as
 * soon as they are answered, would make it three times as slow, and four hundred twenty times. So a pass begins what
 * takes a millisecond or two. The rest waits for the next ones, in rotation by whoever asks, and of theirs by
 * connection: nobody is turned away here, nothing is slower in the whole, and nothing is begun for a client that has
 * left. What a message costs once its body is there, pace.ts spreads.
 */
export interface RequestQueue {
  /**
   * @param askerOf whose line it waits in; asked only where it has to
   * @param connection that it came by
   * @param begin called once: at once where the pass has room
   * @returns takes it back, because its client has left; undefined: it has begun; full: too many of its asker wait, and it
   * never begins
   */
  add(askerOf: () => string, connection: object, begin: () => void): (() => void) | 'full' | undefined;
}

type Waiting = Set<() => void>;
/** By connection. */
type Line = Map<object, Waiting>;
/** By asker. Here as in a line, whose request began last stands last. */
type Lines = Map<string, Line>;

const defaultMaxWaiting = 4_096; // of one asker: some 64 MiB, of the longest headers

const passMs = 2; // some tens of questions; 35 passes of it are what another's payment is slower under any flood

export function createRequestQueue({ maxWaiting = defaultMaxWaiting } = {}): RequestQueue {
  const lines: Lines = new Map();
  const waitingOf = new Map<string, number>();
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
    const first = takeFirst(lines);
    if (first !== undefined) {
      leave(first.asker);
      first.begin();
    }
    // a tick that a microtask asks for comes when nothing is left to do without waiting
    queueMicrotask(() => process.nextTick(beginNext));
  }

  function leave(asker: string): void {
    const left = (waitingOf.get(asker) ?? 0) - 1;
    if (left > 0) waitingOf.set(asker, left);
    else waitingOf.delete(asker);
  }

  function hasRoom(): boolean {
    return passBeganAtMs === undefined || performance.now() - passBeganAtMs < passMs;
  }

  return {
    add(askerOf, connection, begin) {
      if (lines.size === 0 && hasRoom()) {
        if (passBeganAtMs === undefined) beginPass();
        begin();
        return undefined;
      }
      const asker = askerOf();
      const waiting = waitingOf.get(asker) ?? 0;
      if (waiting >= maxWaiting) return 'full';
      waitingOf.set(asker, waiting + 1);
      const line: Line = lines.get(asker) ?? new Map<object, Waiting>();
      lines.set(asker, line.set(connection, (line.get(connection) ?? new Set()).add(begin)));
      return () => {
        if (takeOut(begin, { lines, asker, connection })) leave(asker);
      };
    },
  };
}

function takeFirst(lines: Lines): { readonly asker: string; readonly begin: () => void } | undefined {
  const [[asker, line] = []] = lines;
  const [[connection, waiting] = []] = line ?? [];
  const [begin] = waiting ?? [];
  if (asker === undefined || line === undefined || connection === undefined) return undefined;
  if (waiting === undefined || begin === undefined) return undefined;
  lines.delete(asker);
  line.delete(connection);
  waiting.delete(begin);
  if (waiting.size > 0) line.set(connection, waiting);
  if (line.size > 0) lines.set(asker, line);
  return { asker, begin };
}

interface Where {
  readonly lines: Lines;
  readonly asker: string;
  readonly connection: object;
}

/** @returns whether it waited */
function takeOut(begin: () => void, { lines, asker, connection }: Where): boolean {
  const line = lines.get(asker);
  const waiting = line?.get(connection);
  if (line === undefined || waiting?.delete(begin) !== true) return false;
  if (waiting.size === 0) line.delete(connection);
  if (line.size === 0) lines.delete(asker);
  return true;
}
