// The two floors of `npm run bench -- payments`, on the same Temporal server as the payments. Their clients
// and workers are processes like our apis and workers, on the same hosts.
import { request } from 'undici';
import type { PaidRound, Taken } from '../payment-load.ts';
import type { PaymentServices } from '../payment-services.ts';
import type { FloorRound, FloorShape } from './contract.ts';

export interface Floor {
  /** Runs empty workflows of the shape, in a closed loop. Half of them answer at once. */
  run(shape: FloorShape, round: { readonly tasks: number; readonly concurrency: number }): Promise<PaidRound>;
  /** Runs one empty workflow. */
  runOnce(shape: FloorShape, answersAtOnce: boolean): Promise<Taken>;
}

/** @param answerDelayMs time until the destination's separate report; the floor waits equally long */
export function openFloor(services: PaymentServices, answerDelayMs: number): Floor {
  const clients = services.floorClientUrls;
  return {
    run: async (shape, { tasks, concurrency }) => {
      const results = await Promise.all(
        clients.map((url, at) => {
          const own = Array.from({ length: tasks }, (_, n) => n).filter((n) => n % clients.length === at);
          const round: FloorRound = {
            shape,
            answersAtOnce: own.map((n) => Math.floor(n / clients.length) % 2 === 0),
            concurrency: Math.ceil(concurrency / clients.length),
            answerDelayMs,
          };
          return ask(url, round);
        }),
      );
      return {
        seconds: Math.max(...results.map(({ seconds }) => seconds)),
        taken: results.flatMap(({ taken }) => taken),
      };
    },
    runOnce: async (shape, answersAtOnce) => {
      const round = { shape, answersAtOnce: [answersAtOnce], concurrency: 1, answerDelayMs };
      const { taken } = await ask(clients[0] ?? '', round);
      return taken[0] as Taken;
    },
  };
}

/** @throws Error if a run fails, because a fast failure would distort the measurement */
async function ask(url: string, round: FloorRound): Promise<PaidRound> {
  const { statusCode, body } = await request(url, {
    method: 'POST',
    body: JSON.stringify(round),
    headersTimeout: 0, // a round takes as long as it takes
  });
  if (statusCode !== 200) throw new Error(`The client of the floor failed: ${await body.text()}`);
  return (await body.json()) as PaidRound;
}
