// Parses a scheme as people write it: a list of documents for each kind. Reports every fault with its place. A scheme
// with a fault is not returned.
import type { z } from 'zod';
import { canonical } from '../../core/scheme/canonical.ts';
import {
  schemeIdOf,
  schemeKinds,
  type Scheme,
  type SchemeDocument,
  type SchemeDocuments,
  type SchemeKind,
} from '../../core/scheme/documents.ts';
import { ok, refused, type Result } from '../../core/result.ts';
import { schemeForms } from './forms.ts';

export interface SchemeFault {
  readonly kind: string;
  /** JSON Pointer in the list of the kind. */
  readonly path: string;
  readonly says: string;
}

export function parseDocument<Kind extends SchemeKind>(
  kind: Kind,
  value: unknown,
): Result<SchemeDocuments[Kind], readonly SchemeFault[]> {
  const parsed = schemeForms[kind].safeParse(value);
  if (parsed.success) return ok(canonical(kind, parsed.data));
  return refused(parsed.error.issues.map((issue) => faultOf(kind, issue)));
}

function faultOf(kind: string, { path, message }: z.core.$ZodIssue): SchemeFault {
  const pointer = path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return { kind, path: pointer, says: message };
}

/** @param lists documents by kind; a missing kind counts as empty */
export function parseScheme(
  lists: Readonly<Record<string, unknown>>,
): Result<Scheme, readonly SchemeFault[]> {
  const faults: SchemeFault[] = Object.keys(lists)
    .filter((kind) => !(schemeKinds as readonly string[]).includes(kind))
    .map((kind) => ({
      kind,
      path: '',
      says: `is not a kind of object; the kinds are: ${schemeKinds.join(', ')}`,
    }));
  const scheme: Record<string, Map<string, SchemeDocument>> = {};
  for (const kind of schemeKinds) {
    const documents = new Map<string, SchemeDocument>();
    scheme[kind] = documents;
    const list = lists[kind] ?? [];
    if (!Array.isArray(list)) {
      faults.push({ kind, path: '', says: 'must be a list' });
      continue;
    }
    for (const [place, value] of list.entries()) {
      const parsed = parseDocument(kind, value);
      if (!parsed.ok) {
        faults.push(...parsed.refusal.map((fault) => ({ ...fault, path: `/${place}${fault.path}` })));
        continue;
      }
      const id = schemeIdOf(kind, parsed.value as never);
      if (documents.has(id))
        faults.push({ kind, path: `/${place}`, says: `repeats the id ${id} of an earlier document` });
      documents.set(id, parsed.value);
    }
  }
  return faults.length === 0 ? ok(scheme as unknown as Scheme) : refused(faults);
}
