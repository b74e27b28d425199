// Spans of database statements: named after the statement, without its text and parameters. Only inside another span,
// because periodic queries of the process itself belong to no submission.
import type { Traces } from './traces.ts';

/** @returns a function to call when a statement begins; it returns a function to call when the statement ends */
export function traceStatements(traces: Traces): (name: string) => ((error?: unknown) => void) | undefined {
  return (name) => {
    if (traces.active() === undefined) return undefined;
    const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': name };
    const span = traces.begin(name, { kind: 'client', attributes });
    return (error) => span.end(error === undefined ? undefined : codeOf(error));
  };
}

/** SQLSTATE, or the error code of a broken connection. */
function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' && /^\w+$/.test(code) ? code : 'failed';
}
