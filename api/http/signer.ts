// A signature of a message counts once, whatever becomes of the message: whoever is to send the message again has to be
// told, by each refusal that it may get.
import type { Context } from 'hono';
import type { Problem } from './problem.ts';

declare module 'hono' {
  interface ContextVariableMap {
    isFromSigner: boolean;
  }
}

export const noteSigner = (context: Context): void => context.set('isFromSigner', true);

/** The refusal, for its sender. */
export function toldToSigner(refusal: Problem, context: Context): Problem {
  if (!context.get('isFromSigner') || refusal.code === 'signature-refused') return refusal; // that says it itself
  return { ...refusal, detail: `${refusal.detail} A signature counts once: sign anew what you send again.` };
}
