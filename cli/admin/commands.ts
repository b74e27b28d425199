// The commands of `isthmus admin` that send requests to the gateway.
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { z } from 'zod';
import type { keySchema } from '../../api/keys/key-schemas.ts';
import type { objectSchema, readinessSchema } from '../../api/scheme/scheme-schemas.ts';
import type { CommandContext } from '../command.ts';
import { codeOf, fileReason, UsageError } from '../errors.ts';
import { visibleTexts } from '../foreign-text.ts';
import { tell, type Asked, type JsonOption } from '../ops/connection.ts';
import { printChange, printChanges, printProposed, type Proposed } from './show.ts';

export interface ChangeOptions extends JsonOption {
  readonly because: string;
  readonly at?: string;
  readonly preview?: true;
}

export interface DecisionOptions extends JsonOption {
  readonly because: string;
  readonly despiteProbes?: true;
}

export interface SecretOptions extends JsonOption {
  readonly because: string;
  readonly overlapHours: string;
}

export interface ListOptions extends JsonOption {
  readonly state?: string;
  readonly limit: string;
}

export interface RotateOptions extends JsonOption {
  readonly because: string;
  readonly withdraw?: boolean;
}

/**
 * Parses the answer as plain JSON, so numbers stay numbers. This loses no precision, because scheme documents
 * hold amounts as strings.
 */
export const tellAdmin = (context: CommandContext, options: JsonOption, asked: Asked): Promise<void> =>
  tell(context, options, { ...asked, parse: (text) => visibleTexts(JSON.parse(text)) });

export function listObjects(context: CommandContext, kind: string, options: JsonOption): Promise<void> {
  return tellAdmin(context, options, {
    ask: (gateway) => gateway.get(`/admin/scheme/${kind}`),
    print: (terminal, found: readonly object[]) => {
      if (found.length === 0) terminal.line(`There are no ${kind} yet.`);
      for (const one of found) terminal.line(JSON.stringify(one));
    },
  });
}

export function showObject(
  context: CommandContext,
  { kind, id }: { readonly kind: string; readonly id: string },
  options: JsonOption,
): Promise<void> {
  return tellAdmin(context, options, {
    ask: (gateway) => gateway.get(`/admin/scheme/${kind}/${encodeURIComponent(id)}`),
    print: (terminal, { document, secrets, history }: z.infer<typeof objectSchema>) => {
      terminal.line(document === null ? `${kind} ${id} has ended.` : JSON.stringify(document, null, 2));
      for (const { secretId, endsAt } of secrets ?? [])
        terminal.line(`Secret ${secretId}${endsAt === null ? '' : ` until ${endsAt}`}`);
      if (secrets?.length === 0) terminal.line('It has no secret.');
      terminal.line();
      terminal.line(`Its changes, newest first: ${history.length}`);
      for (const one of history) {
        const objects = one.objects.filter((edit) => edit.kind === kind && edit.id === id);
        printChange(terminal, { ...one, objects });
      }
    },
  });
}

export function showReadiness(context: CommandContext, party: string, options: JsonOption): Promise<void> {
  return tellAdmin(context, options, {
    ask: (gateway) => gateway.get(`/admin/readiness/${encodeURIComponent(party)}`),
    print: (terminal, { isReady, items }: z.infer<typeof readinessSchema>) => {
      for (const { item, isMet, says } of items) {
        terminal.line(isMet ? `✓ ${item}: ${says}` : terminal.paint('warning', `! ${item}: ${says}`));
      }
      terminal.line(isReady ? `${party} lacks nothing.` : `${party} is not ready yet.`);
    },
  });
}

function propose(
  context: CommandContext,
  objects: readonly object[],
  { because, at: effectiveAt, preview, ...options }: ChangeOptions,
): Promise<void> {
  return tellAdmin(context, options, {
    ask: (gateway) => gateway.post('/admin/changes', { because, effectiveAt, preview, objects }),
    print: printProposed,
  });
}

/**
 * Turns an error from reading the named file or folder into a UsageError. It returns any other error
 * unchanged.
 */
export function unreadable(path: string, error: unknown): unknown {
  const isMissing = codeOf(error) === 'ENOENT';
  const reason = isMissing ? 'there is no such file or folder' : fileReason(error);
  return reason === undefined
    ? error
    : new UsageError(`${path} cannot be read: ${reason}.`, { cause: error });
}

export async function setObjects(
  context: CommandContext,
  { kind, file }: { readonly kind: string; readonly file: string },
  options: ChangeOptions,
): Promise<void> {
  let value: unknown;
  try {
    value = JSON.parse(file === '-' ? await text(process.stdin) : readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${file} is not JSON: ${error.message}`);
    throw unreadable(file, error);
  }
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  await propose(
    context,
    given.map((document) => ({ kind, document })),
    options,
  );
}

export function endObjects(
  context: CommandContext,
  { kind, ids }: { readonly kind: string; readonly ids: readonly string[] },
  options: ChangeOptions,
): Promise<void> {
  const objects = ids.map((ends) => ({ kind, ends }));
  return propose(context, objects, options);
}

export function makeSecret(
  context: CommandContext,
  client: string,
  { because, overlapHours, ...options }: SecretOptions,
): Promise<void> {
  const path = `/admin/clients/${encodeURIComponent(client)}/secrets`;
  return tellAdmin(context, options, {
    ask: (gateway) => gateway.post(path, { because, overlapHours: Number(overlapHours) }),
    print: (terminal, made: { readonly secret: string; readonly change: Proposed }) => {
      printProposed(terminal, made.change);
      terminal.line();
      terminal.line(`Secret of ${client}, shown this once: ${made.secret}`);
    },
  });
}

export function listChanges(
  context: CommandContext,
  { state, limit, ...options }: ListOptions,
): Promise<void> {
  return tellAdmin(context, options, {
    ask: (gateway) => gateway.get('/admin/changes', { state, limit }),
    print: printChanges,
  });
}

export function showChange(context: CommandContext, id: string, options: JsonOption): Promise<void> {
  return tellAdmin(context, options, {
    ask: (gateway) => gateway.get(`/admin/changes/${encodeURIComponent(id)}`),
    print: printChange,
  });
}

const paths = { approve: 'approval', refuse: 'refusal', withdraw: 'withdrawal' } as const;

export function decide(
  context: CommandContext,
  { act, id }: { readonly act: keyof typeof paths; readonly id: string },
  { because, despiteProbes, ...options }: DecisionOptions,
): Promise<void> {
  const path = `/admin/changes/${encodeURIComponent(id)}/${paths[act]}`;
  return tellAdmin(context, options, {
    ask: (gateway) => gateway.post(path, { because, despiteProbes }),
    print: printChange,
  });
}

/** `delivery-keys` sign outgoing messages. `issuer-keys` sign the tokens of the built-in token issuer. */
export type KeysOf = 'delivery-keys' | 'issuer-keys';

/** Lists the keys. If the options ask for a rotation, it first creates a new key. */
export function showKeys(
  context: CommandContext,
  keysOf: KeysOf,
  { json, ...rotation }: JsonOption | RotateOptions,
): Promise<void> {
  const options: JsonOption = json ? { json } : {};
  return tellAdmin(context, options, {
    ask: (gateway) =>
      'because' in rotation
        ? gateway.post(`/admin/${keysOf}`, { withdraw: false, ...rotation })
        : gateway.get(`/admin/${keysOf}`),
    print: (terminal, keys: readonly z.infer<typeof keySchema>[]) => {
      for (const { keyId, state, signsFrom, signsUntil, madeBy, because } of keys) {
        const until = signsUntil === null ? '' : ` until ${signsUntil}`;
        terminal.line(`${keyId}  ${state.padEnd(9)}  from ${signsFrom}${until}  by ${madeBy}: ${because}`);
      }
    },
  });
}
