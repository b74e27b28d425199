// Schedules the slow checks of secrets, for a client's first login or for a guess. A check takes about 40 ms
// of CPU time, so clients take turns. An attacker who guesses secrets delays only the client whose id they
// use. With many addresses, the attacker may lock that client out during the attack.
import type { InTurn } from '../../db/keys/clients.ts';
import { isProblem, problem, type Problem } from '../http/problems/problem.ts';
import { createTurns, type WaitingClient } from '../http/limits/turns.ts';

const limits = { waiting: 1_000, waitMs: 5_000 } as const;

/** The text also fits a client that sent a single login, because others may have used up the turns. */
const turnDidNotCome = () =>
  problem('too-many-messages', {
    detail:
      'More logins that name this client wait to be tried than can be tried in time, whoever sends them. The secret was not looked at: try again after the number of seconds in Retry-After.',
  });

export function createSecretTurns(): (waiting: WaitingClient) => InTurn<Problem> {
  const ofClient = createTurns({ ...limits, atOnce: 1 });
  // two of the four threads in the thread pool, which file access and DNS also use
  const ofAll = createTurns({ ...limits, atOnce: 2 });
  return (waiting) => async (client, work) => {
    const outcome = await ofClient.take(client, () => ofAll.take('secrets', work, waiting), waiting);
    return outcome instanceof Object && isProblem(outcome) ? turnDidNotCome() : outcome;
  };
}
