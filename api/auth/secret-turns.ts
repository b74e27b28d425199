// Schedules the slow checks of secrets: a client's first login, or a guess. A check takes about 40 ms of a processor, so
// clients take turns. Somebody who guesses secrets delays only the client whose id they use. With many addresses, they
// may lock that client out while they continue.
import type { InTurn } from '../../db/keys/clients.ts';
import { isProblem, problem, type Problem } from '../http/problems/problem.ts';
import { createTurns, type WaitingClient } from '../http/limits/turns.ts';

const limits = { waiting: 1_000, waitMs: 5_000 } as const;

/** The text also suits a client that sent a single login, because others may have used up the turns. */
const turnDidNotCome = () =>
  problem('too-many-messages', {
    detail:
      'More logins that name this client wait to be tried than can be tried in time, whoever sends them. The secret was not looked at: try again after the number of seconds in Retry-After.',
  });

export function createSecretTurns(): (waiting: WaitingClient) => InTurn<Problem> {
  const ofClient = createTurns({ ...limits, atOnce: 1 });
  const ofAll = createTurns({ ...limits, atOnce: 2 }); // of the four threads that a process shares with its files and names
  return (waiting) => async (client, work) => {
    const outcome = await ofClient.take(client, () => ofAll.take('secrets', work, waiting), waiting);
    return outcome instanceof Object && isProblem(outcome) ? turnDidNotCome() : outcome;
  };
}
