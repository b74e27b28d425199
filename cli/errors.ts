// What went wrong in a way that a person can mend. It is printed as it is, without a stack.

/** The message says what happened and what to do next. */
export class UserError extends Error {
  override readonly name = 'UserError';
}
