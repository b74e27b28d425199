/**
 * States what must be true if our own code is right. Not for what other parties send: that is rejected, and is no
 * defect.
 */

/** We are wrong. Never caught to continue: 500 in the api, a halted task in a workflow. */
class Defect extends Error {
  override readonly name = 'Defect';
}

/**
 * @throws Defect when `condition` is false; the message names the promise that was broken, never a value of a payment
 */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Defect(message);
}
