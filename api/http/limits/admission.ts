/**
 * Refuses a submission at once if its answer would come too late (OVL-1). By Little's law, the expected wait
 * is the number of messages before it, divided by the current rate of answers.
 */
import { problem, type Problem } from '../problems/problem.ts';
import type { GiveUpTurn, Turns } from './turns.ts';

const expectedWaitMs = 1_500; // less than the 2 s of OVL-1, because the wait is an estimate
const windowMs = 250;
const firstGuessPerSecond = 50; // the measurements correct it within the first second of load
const busySeconds = 0.25; // a window is busy if it always had at least this many seconds of work,
const alwaysBusy = 32; // or always at least this many messages; a single sender may have a hundred

/** The capacity in judged messages per second, measured in windows under sufficient load. */
interface Capacity {
  enter(): void;
  /** @param isJudged false: the message was refused, its client left, or its answer was on record */
  leave(isJudged: boolean): void;
  perSecond(): number;
}

function createCapacity(clock: () => number): Capacity {
  let perSecond = firstGuessPerSecond;
  let inside = 0;
  let leastInside = 0; // lowest number of messages under way in this window
  let judged = 0; // number of messages judged in this window
  let sinceMs = clock();

  /**
   * A window that was not busy measures demand, not capacity, so it counts only if its rate was higher. A
   * window ends early when no message is under way, so that idle time is not measured.
   */
  function endWindow(): void {
    const now = clock();
    const elapsedMs = Math.max(now - sinceMs, inside === 0 ? windowMs : 0);
    if (elapsedMs < windowMs) return;
    const rate = (judged * 1_000) / elapsedMs;
    const wasBusy = leastInside >= Math.min(perSecond * busySeconds, alwaysBusy);
    if (wasBusy || rate > perSecond) perSecond = Math.max(1, (perSecond + rate) / 2);
    judged = 0;
    leastInside = inside;
    sinceMs = now;
  }

  return {
    enter() {
      if (inside === 0) {
        sinceMs = clock();
        perSecond = Math.max(perSecond, firstGuessPerSecond); // nothing waits; a slowdown may be over
      } else endWindow();
      inside += 1;
    },
    leave(isJudged) {
      inside -= 1;
      if (isJudged) judged += 1;
      leastInside = Math.min(leastInside, inside);
      endWindow();
    },
    perSecond: () => perSecond,
  };
}

/**
 * Adds admission control to `turns`.
 * @param clock monotonic clock, in milliseconds
 */
export function admitting(turns: Turns, clock = () => performance.now()): Turns {
  const capacity = createCapacity(clock);
  const underWay = new Map<string, number>(); // messages per sender: arriving, waiting or being judged
  /**
   * Senders whose last message was refused before it was judged, or answered from the record. Their waiting
   * messages do not help to measure the capacity.
   */
  const notJudged = new Set<string>();

  function change(sender: string, by: number): void {
    const count = (underWay.get(sender) ?? 0) + by;
    if (count === 0) underWay.delete(sender);
    else underWay.set(sender, count);
  }

  /**
   * Returns a refusal if the message would wait too long. Senders take turns, so each has an equal share of
   * the capacity. One message of each is always admitted.
   */
  function refusalOf(sender: string): Problem | undefined {
    const own = underWay.get(sender) ?? 0;
    if (own === 0) return undefined;
    const senders = underWay.size;
    const waitMs = ((own + 1) * senders * 1_000) / capacity.perSecond();
    if (waitMs <= expectedWaitMs) return undefined;
    const others = [...underWay.values()].reduce((sum, count) => sum + count, -own);
    const isItsOwn = own > (2 * others) / Math.max(1, senders - 1); // over twice the average of the others
    return problem(isItsOwn ? 'too-many-messages' : 'overloaded');
  }

  return {
    makeRoom(sender) {
      const refusal = refusalOf(sender);
      if (refusal !== undefined) return refusal;
      const leaveRoom = turns.makeRoom(sender);
      if (typeof leaveRoom === 'object') return leaveRoom;
      change(sender, 1);
      return () => {
        change(sender, -1);
        leaveRoom();
      };
    },
    async take(sender, work, client) {
      const counts = !notJudged.has(sender);
      let isJudged = false;
      let hasEnded = false;
      const end = () => {
        if (hasEnded) return;
        hasEnded = true;
        change(sender, -1);
        if (counts) capacity.leave(isJudged);
      };
      const judge = async (giveUp: GiveUpTurn) => {
        const answer = await work((from) => {
          isJudged = from !== 'record';
          if (isJudged) notJudged.delete(sender);
          end();
          giveUp();
        });
        if (!isJudged) notJudged.add(sender);
        return answer;
      };
      change(sender, 1);
      if (counts) capacity.enter();
      try {
        return await turns.take(sender, judge, client);
      } finally {
        end();
      }
    },
  };
}
