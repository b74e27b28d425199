// A signature counts once, whatever becomes of its message. So each refusal of a signed message must tell the sender to
// sign again.
import type { Context } from 'hono';
import type { Problem } from './problem.ts';

declare module 'hono' {
  interface ContextVariableMap {
    isFromSigner: boolean;
  }
}

export const noteSigner = (context: Context): void => context.set('isFromSigner', true);

/** Adds to a refusal, if its sender signs, that a repeat needs a new signature. */
export function toldToSigner(refusal: Problem, context: Context): Problem {
  if (!context.get('isFromSigner') || refusal.code === 'signature-refused') return refusal; // its text says so already
  return { ...refusal, detail: `${refusal.detail} A signature counts once: sign anew what you send again.` };
}
