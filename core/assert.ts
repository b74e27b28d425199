/**
 * Checks conditions that only a defect in the code can break. Input of other parties is not checked here: bad
 * input is rejected, and is no defect.
 */

/** A defect in the code. Never catch it to continue: the api answers 500, and a workflow task halts. */
class Defect extends Error {
  override readonly name = 'Defect';
}

/**
 * @throws Defect if `condition` is false; the message names the broken promise, and never a value of a payment
 */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Defect(message);
}
