/**
 * A line of what waits, by the connection that it came by (SEC-7): connections take turns, whoever of them sends most, and
 * where the line is full, the connection with the most of it loses its last. Below request-queue.ts and turns.ts.
 */
export interface Rotation<Item extends object> {
  readonly size: number;
  /** Of its connection it stands last. */
  put(connection: object, item: Item): void;
  /** Takes the first item of the connection whose turn it is; undefined: nothing waits. */
  takeFirst(): Item | undefined;
  /** @returns whether it waited */
  takeOut(item: Item): boolean;
  /** The last item of the connection with the most; undefined: with one more, `asking` would have as many. */
  lastOfMost(asking: object): Item | undefined;
}

export function createRotation<Item extends object>(): Rotation<Item> {
  const connectionOf = new Map<Item, object>();
  const waiting = new Map<object, Set<Item>>(); // whose item was taken last stands last

  function takeOut(item: Item): boolean {
    const connection = connectionOf.get(item);
    if (connection === undefined) return false;
    connectionOf.delete(item);
    const own = waiting.get(connection);
    own?.delete(item);
    if (own?.size === 0) waiting.delete(connection);
    return true;
  }

  return {
    get size() {
      return connectionOf.size;
    },
    put(connection, item) {
      connectionOf.set(item, connection);
      waiting.set(connection, (waiting.get(connection) ?? new Set()).add(item));
    },
    takeFirst() {
      const [[connection, own] = []] = waiting;
      const [first] = own ?? [];
      if (connection === undefined || own === undefined || first === undefined) return undefined;
      takeOut(first);
      waiting.delete(connection);
      if (own.size > 0) waiting.set(connection, own);
      return first;
    },
    takeOut,
    lastOfMost(asking) {
      let most: ReadonlySet<Item> = new Set();
      for (const own of waiting.values()) if (own.size > most.size) most = own;
      const asks = waiting.get(asking)?.size ?? 0;
      return most.size > asks + 1 ? [...most].at(-1) : undefined;
    },
  };
}
