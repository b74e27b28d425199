// The tools of a story. A story draws only from its own random generator, never from the clock or from answers. So the
// seed determines what it sends, whatever happens.
import type { Random } from './random.ts';
import type { Answer, Request } from './sender.ts';

export interface Tools {
  readonly random: Random;
  readonly canaries: readonly string[];
  /** The callback address of a source operator: its usual one, or another registered one. */
  callbackUrl(clearingSystemId: string, message: 'pacs002' | 'acmt024', which: 'usual' | 'other'): string;
  /**
   * Waits until the client has a token, so that a message that is written next is sent without delay.
   * @throws StoryEnded if the load has ended, because nothing new may be submitted then
   */
  ready(client: string): Promise<void>;
  send(request: Request): Promise<Answer>;
  /**
   * Ages a stored quote by that many seconds.
   * @returns false if it was not possible
   */
  ageQuote(quoteId: string, seconds: number): Promise<boolean>;
  /** Resolves after `ms`. Resolves with false when the load ends; the story must then send nothing new. */
  rest(ms: number): Promise<boolean>;
  /** The pause of a sender between repeats; the end of the load does not shorten it. */
  pause(ms: number): Promise<void>;
}

/** The requests of a PSP, an operator or an FX provider, from the first to the last. */
export interface Story {
  readonly name: string;
  /** Relative frequency. */
  readonly weight: number;
  play(tools: Tools): Promise<void>;
}

/** A story cannot go on for a reason outside it, such as a missing quote. This is not a defect. */
export class StoryEnded extends Error {
  override readonly name = 'StoryEnded';
}
