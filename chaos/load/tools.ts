// What a story is played with. A story draws from its own chance only, never from the clock or from answers: what it
// sends follows from the seed, whatever happens to it on the way.
import type { Random } from './random.ts';
import type { Answer, Request } from './sender.ts';

/** What time makes something of, and no run can wait for: QUO-6, DUP-2. */
export type Ageing = 'quote' | 'message-id';

export interface Tools {
  readonly random: Random;
  readonly now: () => number;
  readonly canaries: readonly string[];
  /** The address that a source operator names: its usual one, or another that is registered too. */
  callbackUrl(clearingSystemId: string, message: 'pacs002' | 'acmt024', which: 'usual' | 'other'): string;
  /**
   * Waits until there is a token of that client, so that what is written next is fresh when it is sent.
   * @throws StoryEnded when the load has ended: nothing new is submitted then
   */
  ready(client: string): Promise<void>;
  send(request: Request): Promise<Answer>;
  /**
   * Makes a stored quote, or the use of a MsgId, older, as if so many seconds had passed.
   * @param id of the quote, or the MsgId
   * @returns false when that was not possible
   */
  age(what: Ageing, id: string, seconds: number): Promise<boolean>;
  /** Resolves after so many milliseconds, or when the load ends: then with false, and the story sends nothing new. */
  rest(ms: number): Promise<boolean>;
  /** A pause of a sender that repeats: it is not cut short. */
  pause(ms: number): Promise<void>;
}

/** What a PSP, an operator or an FX provider does, from its first request to its last. */
export interface Story {
  readonly name: string;
  /** How often it is drawn, beside the others. */
  readonly weight: number;
  play(tools: Tools): Promise<void>;
}

/** The world gave a story nothing to go on with, e.g. no quote: it ends early, and nobody is to blame. */
export class StoryEnded extends Error {
  override readonly name = 'StoryEnded';
}
