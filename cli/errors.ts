// Errors that the user can fix. A command prints their message without a stack.

import { getSystemErrorMessage } from 'node:util';

/** The message says what happened and what to do next. */
export class UserError extends Error {
  override readonly name: string = 'UserError';
}

/** An option or argument that is unknown or has a bad value: exit code 2. */
export class UsageError extends UserError {
  override readonly name = 'UsageError';
}

/** The service, or a part of it, does not answer now. The same request may be repeated. */
export class UnavailableError extends UserError {
  override readonly name: string = 'UnavailableError';
}

/** The service answered 429: it accepted nothing, and the request may be repeated later. */
export class TurnedAwayError extends UnavailableError {
  override readonly name = 'TurnedAwayError';
}

/** A payment was sent, but no answer says whether the gateway accepted it. It may have. */
export class UnansweredError extends UserError {
  override readonly name = 'UnansweredError';
}

/** Why a file or folder could not be used, in the system's words; undefined for errors of connections, and others. */
export function fileReason(error: unknown): string | undefined {
  const { errno, address } = error as { readonly errno?: unknown; readonly address?: unknown };
  if (typeof errno !== 'number' || errno >= 0 || address !== undefined) return undefined;
  return getSystemErrorMessage(errno);
}

/**
 * The error code from the system or the database: of the error itself, of its cause, or of the first aggregated error.
 */
export function codeOf(error: unknown): string | undefined {
  const { code } = error as { readonly code?: unknown };
  if (typeof code === 'string') return code;
  const inner = innerOf(error);
  return inner === undefined ? undefined : codeOf(inner);
}

/** The innermost message, because the messages of `AggregateError` and `fetch failed` say nothing. */
export function reasonOf(error: unknown): string {
  const inner = innerOf(error);
  if (inner !== undefined) return reasonOf(inner);
  return error instanceof Error ? error.message : String(error);
}

function innerOf(error: unknown): Error | undefined {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return error.errors[0];
  return error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
}

/** One sentence for a known kind of error; undefined for our own defects. */
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
