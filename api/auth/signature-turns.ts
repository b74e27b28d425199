// Whose signature is verified next (SEC-7): whoever has a token of a payment system may send what its operator did not sign. Of
// one system its addresses take turns, and of one address its connections. The addresses whose last signature was refused have
// one turn between them: who cannot sign, from however many, keeps who can waiting for a turn or two.
import type { WaitingClient } from '../http/turns.ts';
import { createTurns, turnKinds } from '../http/turns.ts';
import type { Problem } from '../http/problem.ts';

const mostRemembered = 10_000;
const rememberedMs = 60_000; // an operator that has signed wrongly once waits no longer with those who cannot

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
  const senders = new Map<string, { refusedAtMs: number }>(); // who was judged last stands last
  const refused = {};

  /** It stands for its connection in the line of the payment system. */
  function senderOf(name: string) {
    const sender = senders.get(name) ?? { refusedAtMs: -Infinity };
    const [first = ''] = senders.keys();
    if (senders.size >= mostRemembered) senders.delete(first);
    senders.delete(name);
    senders.set(name, sender);
    return sender;
  }

  return {
    take(work, { system, address }, client) {
      const name = `${system} ${address}`;
      const judge = async () => {
        const judged = await work();
        senderOf(name).refusedAtMs = 'why' in judged ? clock() : -Infinity;
        return judged;
      };
      const inSystem = () => {
        const sender = senderOf(name);
        const connection = clock() - sender.refusedAtMs < rememberedMs ? refused : sender;
        return ofSystem.take(system, judge, { ...client, connection });
      };
      return ofAddress.take(name, inSystem, client);
    },
  };
}
