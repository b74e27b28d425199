// The patience of a real sender: without an answer, or with one that is no judgement, the same bytes go again, to the
// next api, until there is a judgement or the patience is over. By DUP-1 these are enquiries, and change no outcome.
import type { Expected } from '../oracle/evidence.ts';
import { isPassing, without, type Answer, type Request } from './sender.ts';
import type { Tools } from './tools.ts';

export interface Patience {
  readonly purpose: string;
  readonly expected?: Expected;
  readonly prefer?: string;
  /** How long after the first attempt the last one may begin. */
  readonly forMs?: number;
}

/** Of what is accepted in the end. */
const patientMs = 90_000;
/**
 * Of what is refused: with the longest wait for an answer it ends before 120 s, when another refusal would be due
 * (TIM-4).
 */
export const shortPatienceMs = 60_000;

const firstPauseMs = 1_000;
const longestPauseMs = 16_000;

/** Sends until there is a judgement. @returns the last answer */
export async function insist(tools: Tools, first: Request, again: Patience): Promise<Answer> {
  const { forMs = patientMs, purpose, prefer, expected } = again;
  const until = tools.now() + forMs;
  let answer = await tools.send(first);
  const repeat = {
    ...without(first, 'expected', 'prefer', 'hangUpAfterMs'),
    purpose,
    ...(prefer === undefined ? {} : { prefer }),
    ...(expected === undefined ? {} : { expected }),
  };
  let pauseMs = firstPauseMs;
  for (let turn = 1; isPassing(answer.status) && tools.now() + pauseMs <= until; turn += 1) {
    await tools.pause(pauseMs);
    pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    answer = await tools.send({ ...repeat, api: first.api + turn });
  }
  return answer;
}
