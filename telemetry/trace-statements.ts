// Spans of database statements: by their names, never with a text or a parameter, and only within what has
// a span itself: what a process asks by itself, every second perhaps, belongs to no submission.
import type { Traces } from './traces.ts';

/** @returns what to call when a statement begins, which answers what to call at its end */
export function traceStatements(traces: Traces): (name: string) => ((error?: unknown) => void) | undefined {
  return (name) => {
    if (traces.active() === undefined) return undefined;
    const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': name };
    const span = traces.begin(name, { kind: 'client', attributes });
    return (error) => span.end(error === undefined ? undefined : codeOf(error));
  };
}

/** SQLSTATE, or the code of a broken connection. */
function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' && /^\w+$/.test(code) ? code : 'failed';
}
