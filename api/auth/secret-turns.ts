// Whose secret is tried next, where it cannot be judged at once: the right one of a client's first login, or a guess at
// one that was brought along, without a tag. It costs a processor some 40 ms, so clients take turns, and of one client the
// addresses: whoever guesses keeps only those waiting that it names. Those it may keep out: by many addresses it makes the turn
// of another come too late.
import type { InTurn } from '../../db/keys/clients.ts';
import type { WaitingClient } from '../http/turns.ts';
import { createTurns } from '../http/turns.ts';
import { problem, type Problem } from '../http/problem.ts';

const limits = { waiting: 1_000, waitMs: 5_000 } as const;
const mostRemembered = 10_000;

/** Whoever is told it may have sent a single login, and not too fast. */
const turnDidNotCome = () =>
  problem('too-many-messages', {
    detail:
      'More logins that name this client wait to be tried than can be tried in time, whoever sends them. The secret was not looked at: try again after the number of seconds in Retry-After.',
  });

/** @returns for a request that comes from that address */
export function createSecretTurns(): (
  address: string,
  client: Pick<WaitingClient, 'closed'>,
) => InTurn<Problem> {
  const ofClient = createTurns({ ...limits, atOnce: 1 });
  const ofAll = createTurns({ ...limits, atOnce: 2 }); // of the four threads that a process shares with its files and names
  const clients = identities();
  const addresses = identities();
  return (address, { closed }) =>
    async (client, work) => {
      const turn = { hasCome: false };
      const begin = () => {
        turn.hasCome = true;
        return work();
      };
      const inAll = () => ofAll.take('secrets', begin, { closed, connection: clients(client) });
      const outcome = await ofClient.take(client, inAll, { closed, connection: addresses(address) });
      return turn.hasCome ? outcome : turnDidNotCome();
    };
}

/** An object for each name, which is the same while it waits. */
function identities(): (name: string) => object {
  const known = new Map<string, object>();
  return (name) => {
    const one = known.get(name) ?? {};
    if (known.size >= mostRemembered) known.clear();
    known.set(name, one);
    return one;
  };
}
