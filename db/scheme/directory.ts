// Reads and writes a scheme as a directory with one file for each kind of object (ADM-3). A change of one
// object changes only the lines of that object.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { schemeKinds, type Scheme, type SchemeDocument } from '../../core/scheme/documents.ts';
import { schemeForms } from './forms.ts';
import { parseScheme, type SchemeFault } from './parse.ts';

const mostFaults = 20;

export class SchemeFilesError extends Error {
  override readonly name = 'SchemeFilesError';
  constructor(directory: string, faults: readonly SchemeFault[]) {
    const lines = faults
      .slice(0, mostFaults)
      .map(({ kind, path, says }) => `  ${kind}.json${path === '' ? '' : ` ${path}`}: ${says}`);
    if (faults.length > mostFaults) lines.push(`  and ${faults.length - mostFaults} more`);
    super(`${directory} is not a scheme's directory:\n${lines.join('\n')}`);
  }
}

/**
 * Reads the lists in a directory's files, without checking them.
 * @throws SchemeFilesError if a file is not JSON; the system's error if a file cannot be read
 */
export function readLists(directory: string): Readonly<Record<string, unknown>> {
  const lists: Record<string, unknown> = {};
  for (const file of readdirSync(directory).filter((name) => name.endsWith('.json'))) {
    const kind = file.slice(0, -'.json'.length);
    try {
      lists[kind] = JSON.parse(readFileSync(join(directory, file), 'utf8'));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new SchemeFilesError(directory, [{ kind, path: '', says: `is not JSON: ${error.message}` }]);
    }
  }
  return lists;
}

/** @throws SchemeFilesError with all faults; the system's error if a file cannot be read */
export function readDirectory(directory: string): Scheme {
  const parsed = parseScheme(readLists(directory));
  if (parsed.ok) return parsed.value;
  throw new SchemeFilesError(directory, parsed.refusal);
}

export function writeDirectory(directory: string, lists: Readonly<Record<string, readonly unknown[]>>): void {
  mkdirSync(directory, { recursive: true });
  for (const kind of schemeKinds)
    writeFileSync(join(directory, `${kind}.json`), renderList(lists[kind] ?? []));
}

/** Lists the documents of a scheme by kind. The members of a document are in the order of its form. */
export function listsOf(scheme: Scheme): Readonly<Record<string, readonly SchemeDocument[]>> {
  return Object.fromEntries(
    schemeKinds.map((kind) => [kind, [...scheme[kind].values()].map((one) => schemeForms[kind].parse(one))]),
  );
}

const renderList = (documents: readonly unknown[]): string => `${render(documents, '')}\n`;

/** Formats like `prettier`: a value without nested lists or objects is on one line. */
function render(value: unknown, indent: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const deeper = `${indent}  `;
  const isList = Array.isArray(value);
  const entries = Object.entries(value).map(([name, inner]) =>
    isList ? render(inner, deeper) : `${JSON.stringify(name)}: ${render(inner, deeper)}`,
  );
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) return open + close;
  const inLine = isList ? `[${entries.join(', ')}]` : `{ ${entries.join(', ')} }`;
  const isFlat = Object.values(value).every((inner) => typeof inner !== 'object' || inner === null);
  const isOne = isList && entries.length === 1 && !inLine.includes('\n');
  if ((isFlat || isOne) && indent !== '  ' && indent.length + inLine.length <= 110) return inLine;
  return `${open}\n${entries.map((entry) => deeper + entry).join(',\n')}\n${indent}${close}`;
}
