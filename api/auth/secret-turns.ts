// Schedules the slow checks of secrets: a client's first login, or a guess. A check takes about 40 ms of a processor.
// So clients take turns, and within one client, its addresses take turns. Somebody who guesses secrets therefore delays
// only the client whose id they use. With many addresses, they may lock that client out while they continue.
import type { InTurn } from '../../db/keys/clients.ts';
import type { WaitingClient } from '../http/turns.ts';
import { createTurns } from '../http/turns.ts';
import { problem, type Problem } from '../http/problem.ts';

const limits = { waiting: 1_000, waitMs: 5_000 } as const;
const mostRemembered = 10_000;

/** The text also suits a client that sent a single login, because others may have used up the turns. */
const turnDidNotCome = () =>
  problem('too-many-messages', {
    detail:
      'More logins that name this client wait to be tried than can be tried in time, whoever sends them. The secret was not looked at: try again after the number of seconds in Retry-After.',
  });

/** @returns a function that gives the turns for a request from an address */
export function createSecretTurns(): (
  address: string,
  client: Pick<WaitingClient, 'closed'>,
) => InTurn<Problem> {
  const ofClient = createTurns({ ...limits, atOnce: 1 });
  // of the four threads that a process also needs for files and name lookups
  const ofAll = createTurns({ ...limits, atOnce: 2 });
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

/** Returns an object for each name, the same one as long as the name is remembered. */
function identities(): (name: string) => object {
  const known = new Map<string, object>();
  return (name) => {
    const one = known.get(name) ?? {};
    if (known.size >= mostRemembered) known.clear();
    known.set(name, one);
    return one;
  };
}
