/**
 * Loads the edition of the external code sets by which a process judges. This is the latest edition among the
 * files of a directory and the shipped edition. Workflows must not depend on the edition.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from '../core/settings/environment-variables.ts';
import {
  parseCodeSets,
  setCodeSets,
  shippedCodeSets,
  type CodeSets,
} from '../core/iso20022/external-codes.ts';

/**
 * Must be called when a process starts, before it judges any message.
 * @param directory has one file per edition, `*.json`; undefined: only the shipped edition is used
 * @throws ConfigurationError that names the file and its fault
 */
export function openCodeSets(directory: string | undefined): CodeSets {
  const given = directory === undefined ? [] : namesIn(directory).map((name) => read(join(directory, name)));
  const latest = given.reduce((one, next) => (next.published >= one.published ? next : one), shippedCodeSets);
  const rivals = given.filter(({ published }) => published === latest.published);
  if (rivals.length > 1) {
    const editions = rivals.map(({ edition }) => edition).join(', ');
    throw refusal(directory ?? '', `${editions} are all of ${latest.published}; keep one of them`);
  }
  setCodeSets(latest);
  return latest;
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith('.json'));
  } catch (error) {
    throw refusal(directory, wordsOf(error));
  }
}

function read(path: string): CodeSets {
  let file: unknown;
  try {
    file = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw refusal(path, wordsOf(error));
  }
  const parsed = parseCodeSets(file);
  if (!parsed.ok) throw refusal(path, parsed.refusal);
  return parsed.value;
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

const refusal = (path: string, fault: string) =>
  new ConfigurationError(`CODE_SETS_DIR: ${path} cannot be used: ${fault}. Correct it, or remove it.`);
