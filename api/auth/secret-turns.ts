// Whose secret is tried next, where it cannot be judged at once: the right one of a client's first login, or a guess at
// one that was brought along, without a tag. It costs a processor some 40 ms, so clients take turns: whoever guesses keeps only
// those waiting that it names. Those it may keep out: by many addresses it makes the turn of another come too late.
import type { InTurn } from '../../db/keys/clients.ts';
import { isProblem, problem, type Problem } from '../http/problem.ts';
import { createTurns, type WaitingClient } from '../http/turns.ts';

const limits = { waiting: 1_000, waitMs: 5_000 } as const;

/** Whoever is told it may have sent a single login, and not too fast. */
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
