// Whose signature is verified next: whoever has a token of a payment system may send what its operator did not sign. Of
// one system its addresses take turns, and of one address its connections. Those of which a signature was just refused have one
// turn between them, unless a good one came from there: who cannot sign keeps who can waiting for a turn or two.
import type { WaitingClient } from '../http/turns.ts';
import { createTurns, turnKinds } from '../http/turns.ts';
import type { Problem } from '../http/problem.ts';

const mostRemembered = 10_000;
const goodForMs = 3_600_000;
const refusedForMs = 60_000; // an operator that has signed wrongly once waits no longer with those who cannot

export interface SignatureTurns {
  /**
   * @param work answers with a `why` where the signature is refused
   * @param from the payment system, and the address that it comes from
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
  const good = createMemory(clock, goodForMs); // strangers make none of these forgotten
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

/** Names for a time, each with an object that stands for it; of too many the one that was added first is forgotten. */
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
