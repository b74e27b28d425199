// Schedules the verification of signatures, because anybody with a token of a payment system may send messages that its
// operator did not sign. Within a system, its addresses take turns; within an address, its connections do. Addresses
// whose signature was just refused share one turn, unless a valid signature came from there too. So senders without a
// key delay the operator by a turn or two.
import type { WaitingClient } from '../http/turns.ts';
import { createTurns, turnKinds } from '../http/turns.ts';
import type { Problem } from '../http/problem.ts';

const mostRemembered = 10_000;
const goodForMs = 3_600_000;
const refusedForMs = 60_000; // after a wrong signature, an operator shares the turn of refused senders only this long

export interface SignatureTurns {
  /**
   * @param work returns an object with `why` if the signature is refused
   * @param from the payment system, and the address of the sender
   */
  take<Judged extends object>(
    work: () => Promise<Judged>,
    from: { readonly system: string; readonly address: string },
    client: WaitingClient,
  ): Promise<Judged | Problem>;
}

/** @param clock milliseconds */
export function createSignatureTurns(clock: () => number): SignatureTurns {
  const ofAddress = createTurns(turnKinds.stranger);
  const ofSystem = createTurns(turnKinds.signature);
  const good = createMemory(clock, goodForMs); // a separate memory, so that strangers cannot displace good senders
  const refused = createMemory(clock, refusedForMs);
  const seen = createMemory(clock, refusedForMs);
  const allRefused = {};

  return {
    take(work, { system, address }, client) {
      const name = `${system} ${address}`;
      const judge = async () => {
        const judged = await work();
        ('why' in judged ? refused : good).add(name);
        return judged;
      };
      const inSystem = () => {
        seen.add(name);
        const sender = good.of(name) ?? (refused.of(name) === undefined ? seen.of(name) : allRefused);
        return ofSystem.take(system, judge, { ...client, connection: sender ?? allRefused });
      };
      return ofAddress.take(name, inSystem, client);
    },
  };
}

/**
 * Remembers names for a time, each with an object as its identity. If there are too many, the one that was added first
 * is forgotten.
 */
function createMemory(clock: () => number, forMs: number) {
  const names = new Map<string, { untilMs: number }>();
  return {
    add(name: string): void {
      const one = names.get(name) ?? { untilMs: 0 };
      one.untilMs = clock() + forMs;
      names.delete(name);
      const [first = ''] = names.keys();
      if (names.size >= mostRemembered) names.delete(first);
      names.set(name, one);
    },
    of(name: string): object | undefined {
      const one = names.get(name);
      return one !== undefined && clock() < one.untilMs ? one : undefined;
    },
  };
}
