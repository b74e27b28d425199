// The tools of a story. A story draws only from its own random generator, never from the clock or from
// answers. Its content therefore depends only on the seed.
import type { Random } from './random.ts';
import type { Answer, Request } from './sender.ts';

export interface Tools {
  readonly random: Random;
  readonly canaries: readonly string[];
  /** Returns a registered callback address of a source operator: its usual one or its second one. */
  callbackUrl(clearingSystemId: string, message: 'pacs002' | 'acmt024', which: 'usual' | 'other'): string;
  /**
   * Waits until the client has a token. The story can then send its next message without delay.
   * @throws StoryEnded if the load has ended, because no story may submit anything new after that
   */
  ready(client: string): Promise<void>;
  send(request: Request): Promise<Answer>;
  /**
   * Makes a stored quote older by this many seconds.
   * @returns false if that was not possible
   */
  ageQuote(quoteId: string, seconds: number): Promise<boolean>;
  /**
   * Waits for `ms`.
   * @returns false if the load ended first; the story must then send nothing new
   */
  rest(ms: number): Promise<boolean>;
  /** Waits for `ms` between repeats, like a real sender. The end of the load does not shorten the pause. */
  pause(ms: number): Promise<void>;
}

/** A sequence of requests by a PSP, an operator or an FX provider. */
export interface Story {
  readonly name: string;
  /** Frequency relative to the other stories. */
  readonly weight: number;
  play(tools: Tools): Promise<void>;
}

/**
 * Thrown if a story cannot continue for an external reason, such as a missing quote. This is not a defect of
 * the load.
 */
export class StoryEnded extends Error {
  override readonly name = 'StoryEnded';
}
