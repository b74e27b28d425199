/**
 * When the next request begins (SEC-7, I-16). Reading a message, before anybody is asked about it, holds the one thread
 * that serves everybody; another's payment needs some 35 passes of the event loop until it is answered, and waits in
 * each of them for what was begun in it. So requests begin by sender, and by what they cost, which is measured:
 * - one in a pass, in rotation by sender, whatever its kind;
 * - then its sender rests for as long as it held the thread, and for longer the more senders there are: all of them
 *   together hold it for half of the time.
 * Nobody rests for more than half a second: it may be that the process stood still, and that nobody else asks any more.
 * A plain message, which waits for the database after some tenths of a millisecond, hardly ever finds its sender
 * resting.
 */
export interface Pace {
  /**
   * @param begin called once, when the sender may hold the thread; it costs what is done until something is waited for
   * @returns takes it back, if it has not begun
   */
  ask(sender: string, begin: () => void): () => void;
}

const longestRestMs = 500; // a pause of the whole process costs the sender whose turn it was no more than this
const grantedMs = 5; // a sender rests once it owes more than this: some ten plain messages that come together

interface Sender {
  /** In the order in which they asked. */
  readonly waiting: Set<() => void>;
  /** When it owes nothing any more. */
  restedAtMs: number;
}

/** @param clock monotonic, in milliseconds */
export function createPace(clock = () => performance.now()): Pace {
  const senders = new Map<string, Sender>(); // whose request began last stands last; none is forgotten: they are known parties
  let hasBegun = false; // in this pass
  let timer: NodeJS.Timeout | undefined;

  function beginNext(): void {
    if (hasBegun) return;
    clearTimeout(timer);
    const now = clock();
    let soonestMs = Infinity;
    for (const [name, sender] of senders) {
      const [begin] = sender.waiting;
      if (begin === undefined) continue;
      const restsMs = sender.restedAtMs - grantedMs - now;
      if (restsMs <= 0) {
        senders.delete(name);
        senders.set(name, sender);
        hold(sender, begin);
        return;
      }
      soonestMs = Math.min(soonestMs, restsMs);
    }
    if (soonestMs < Infinity) timer = setTimeout(beginNext, Math.ceil(soonestMs));
  }

  function hold(sender: Sender, begin: () => void): void {
    sender.waiting.delete(begin);
    hasBegun = true;
    // the second of two immediates, because the first may still belong to this pass
    setImmediate(() =>
      setImmediate(() => {
        hasBegun = false;
        beginNext();
      }),
    );
    const begunAtMs = clock();
    // a tick that a microtask asks for comes when nothing is left to do without waiting
    queueMicrotask(() => process.nextTick(() => rest(sender, clock() - begunAtMs)));
    begin();
  }

  function rest(sender: Sender, costMs: number): void {
    const now = clock();
    const isBusy = (one: Sender) => one === sender || one.waiting.size > 0 || one.restedAtMs > now;
    const share = 2 * [...senders.values()].filter(isBusy).length; // of the time: half, in equal parts
    const rested = Math.max(sender.restedAtMs, now) + costMs * (share - 1);
    sender.restedAtMs = Math.min(rested, now + longestRestMs);
  }

  return {
    ask(name, begin) {
      const sender = senders.get(name) ?? { waiting: new Set(), restedAtMs: 0 };
      senders.set(name, sender);
      sender.waiting.add(begin);
      beginNext();
      return () => sender.waiting.delete(begin);
    },
  };
}
