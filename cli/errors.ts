// What went wrong in a way that a person can mend. It is printed as it is, without a stack.

/** The message says what happened and what to do next. */
export class UserError extends Error {
  override readonly name: string = 'UserError';
}

/** The service, or a part of it, does not answer at this moment: the same request may be made again. */
export class UnavailableError extends UserError {
  override readonly name = 'UnavailableError';
}
