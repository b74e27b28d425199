// Errors that the user can fix. A command prints the message of such an error without a stack.

import { getSystemErrorMessage } from 'node:util';

/** An error that the user can fix. The message says what is wrong and what to do next. */
export class UserError extends Error {
  override readonly name: string = 'UserError';
}

/** An unknown option or argument, or a bad value. The exit code is 2. */
export class UsageError extends UserError {
  override readonly name = 'UsageError';
}

/** The gateway, or a part of it, does not answer now. The caller may repeat the same request. */
export class UnavailableError extends UserError {
  override readonly name: string = 'UnavailableError';
}

/** The gateway answered 429. It stored nothing, and the caller may repeat the request later. */
export class TurnedAwayError extends UnavailableError {
  override readonly name = 'TurnedAwayError';
}

/** A payment was sent, but no answer arrived. The gateway may have accepted the payment. */
export class UnansweredError extends UserError {
  override readonly name = 'UnansweredError';
}

/**
 * Returns the operating system's reason why a file or folder could not be used. Returns undefined for all
 * other errors, such as connection errors.
 */
export function fileReason(error: unknown): string | undefined {
  const { errno, address } = error as { readonly errno?: unknown; readonly address?: unknown };
  if (typeof errno !== 'number' || errno >= 0 || address !== undefined) return undefined;
  return getSystemErrorMessage(errno);
}

/**
 * Returns the error code from the operating system or the database. It looks at the error itself, its cause,
 * and the first aggregated error.
 */
export function codeOf(error: unknown): string | undefined {
  const { code } = error as { readonly code?: unknown };
  if (typeof code === 'string') return code;
  const inner = innerOf(error);
  return inner === undefined ? undefined : codeOf(inner);
}

/**
 * Returns the message of the innermost cause, because outer messages such as `fetch failed` do not name the
 * reason.
 */
export function reasonOf(error: unknown): string {
  const inner = innerOf(error);
  if (inner !== undefined) return reasonOf(inner);
  return error instanceof Error ? error.message : String(error);
}

function innerOf(error: unknown): Error | undefined {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return error.errors[0];
  return error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
}

/** Returns one sentence for an error that the user can fix; undefined for a defect of Isthmus. */
export function explain(error: unknown): string | undefined {
  if (error instanceof UserError) return error.message;
  if (!(error instanceof Error)) return undefined;
  if (codeOf(error) === 'ERR_MODULE_NOT_FOUND') {
    return `The installation is incomplete (${error.message.split('\n')[0] ?? ''}). Run npm ci, then the command again.`;
  }
  const { path } = error as NodeJS.ErrnoException;
  const reason = fileReason(error);
  if (path !== undefined && reason !== undefined) {
    return `${path} cannot be used: ${reason}. Fix that, or set ISTHMUS_HOME to another folder.`;
  }
  if ('severity' in error && 'routine' in error) {
    return `The database refused a statement: ${error.message} (SQLSTATE ${codeOf(error) ?? ''}). Grant the user of DATABASE_URL what is missing, or use another database.`;
  }
  return undefined;
}
