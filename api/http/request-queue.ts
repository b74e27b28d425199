/**
 * Which requests begin in a pass of the event loop (SEC-7). A payment needs some 35 passes until it is answered, and
 * waits in each of them for whatever was begun in it: forty questions of a tenth of a millisecond each, asked again as
 * soon as they are answered, would make it three times as slow, and four hundred twenty times. So a pass begins what
 * takes a millisecond or two. The rest waits for the next ones, in rotation by whoever asks, and of theirs by
 * connection: nothing is slower in the whole, and nothing is begun for a client that has left. Only where thousands of one
 * asker wait already is one turned away. What a message costs once its body is there, pace.ts spreads.
 */
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

type Waiting = Set<QueuedRequest>;
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
      first.request.begin();
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
    add(askerOf, connection, request) {
      if (lines.size === 0 && hasRoom()) {
        if (passBeganAtMs === undefined) beginPass();
        request.begin();
        return undefined;
      }
      const asker = askerOf();
      const waiting = waitingOf.get(asker) ?? 0;
      if (waiting >= maxWaiting) {
        const last = lastOfMost(lines.get(asker), connection);
        if (last === undefined) {
          request.refuse();
          return undefined;
        }
        takeOut(last.request, { lines, asker, connection: last.connection });
        last.request.refuse();
      } else waitingOf.set(asker, waiting + 1);
      const line: Line = lines.get(asker) ?? new Map<object, Waiting>();
      lines.set(asker, line.set(connection, (line.get(connection) ?? new Set()).add(request)));
      return () => {
        if (takeOut(request, { lines, asker, connection })) leave(asker);
      };
    },
  };
}

function takeFirst(lines: Lines): { readonly asker: string; readonly request: QueuedRequest } | undefined {
  const [[asker, line] = []] = lines;
  const [[connection, waiting] = []] = line ?? [];
  const [request] = waiting ?? [];
  if (asker === undefined || line === undefined || connection === undefined) return undefined;
  if (waiting === undefined || request === undefined) return undefined;
  lines.delete(asker);
  line.delete(connection);
  waiting.delete(request);
  if (waiting.size > 0) line.set(connection, waiting);
  if (line.size > 0) lines.set(asker, line);
  return { asker, request };
}

interface Where {
  readonly lines: Lines;
  readonly asker: string;
  readonly connection: object;
}

/** @returns whether it waited */
function takeOut(request: QueuedRequest, { lines, asker, connection }: Where): boolean {
  const line = lines.get(asker);
  const waiting = line?.get(connection);
  if (line === undefined || waiting?.delete(request) !== true) return false;
  if (waiting.size === 0) line.delete(connection);
  if (line.size === 0) lines.delete(asker);
  return true;
}

/** Of the connection with the most that wait; undefined: the one that asks would have as many. */
function lastOfMost(
  line: Line | undefined,
  asking: object,
): { readonly connection: object; readonly request: QueuedRequest } | undefined {
  let most: readonly [object, Waiting] | undefined;
  for (const entry of line ?? []) if (entry[1].size > (most?.[1].size ?? 0)) most = entry;
  const asks = line?.get(asking)?.size ?? 0;
  const last = most && [...most[1]].at(-1);
  return most === undefined || last === undefined || most[1].size <= asks + 1
    ? undefined
    : { connection: most[0], request: last };
}
