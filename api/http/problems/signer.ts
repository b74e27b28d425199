// A signature is valid once, even if its message is refused. So each refusal of a signed message must tell
// the sender to sign again.
import type { Context } from 'hono';
import type { Problem } from './problem.ts';

declare module 'hono' {
  interface ContextVariableMap {
    isFromSigner: boolean;
  }
}

export const noteSigner = (context: Context): void => context.set('isFromSigner', true);

/** If the sender signs its messages, adds to the refusal that a repeat needs a new signature. */
export function toldToSigner(refusal: Problem, context: Context): Problem {
  // the text of signature-refused already says so
  if (!context.get('isFromSigner') || refusal.code === 'signature-refused') return refusal;
  return { ...refusal, detail: `${refusal.detail} A signature counts once: sign anew what you send again.` };
}
