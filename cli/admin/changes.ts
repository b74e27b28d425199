// `isthmus admin set`, `end` and `secret`, and the commands that show and decide changes.
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { CommandContext } from '../command.ts';
import { codeOf, fileReason, UsageError } from '../errors.ts';
import { connectGateway } from '../ops/connection.ts';
import { change, changes, proposed, secret, readAnswer } from './answers.ts';
import { printChange, printChanges, printProposed } from './show.ts';

export interface JsonOption {
  readonly json?: true;
}

export interface ChangeOptions extends JsonOption {
  readonly because: string;
  readonly at?: string;
  readonly preview?: true;
}

export interface DecisionOptions extends JsonOption {
  readonly because: string;
  readonly despiteProbes?: true;
}

export interface SecretOptions extends DecisionOptions {
  readonly overlapHours: string;
}

export interface ListOptions extends JsonOption {
  readonly state?: string;
  readonly limit: string;
}

async function propose(
  context: CommandContext,
  objects: readonly object[],
  { because, at: effectiveAt, preview, json }: ChangeOptions,
): Promise<void> {
  const { terminal } = context;
  const gateway = await connectGateway(context);
  const text = await gateway.post('/admin/changes', { because, effectiveAt, preview, objects });
  if (json) terminal.line(text);
  else printProposed(terminal, readAnswer(proposed, text));
}

/** Turns an error of reading the named file or folder into a UsageError. It returns any other error unchanged. */
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
  const documents = Array.isArray(value) ? value : [value];
  await propose(
    context,
    documents.map((document: unknown) => ({ kind, document })),
    options,
  );
}

export async function endObjects(
  context: CommandContext,
  { kind, ids }: { readonly kind: string; readonly ids: readonly string[] },
  options: ChangeOptions,
): Promise<void> {
  await propose(
    context,
    ids.map((ends) => ({ kind, ends })),
    options,
  );
}

export async function makeSecret(
  context: CommandContext,
  client: string,
  { because, overlapHours, json }: SecretOptions,
): Promise<void> {
  const { terminal } = context;
  const gateway = await connectGateway(context);
  const path = `/admin/clients/${encodeURIComponent(client)}/secrets`;
  const text = await gateway.post(path, { because, overlapHours: Number(overlapHours) });
  if (json) {
    terminal.line(text);
    return;
  }
  const made = readAnswer(secret, text);
  printProposed(terminal, made.change);
  terminal.line();
  terminal.line(`Secret of ${client}, shown this once: ${made.secret}`);
}

export async function listChanges(
  context: CommandContext,
  { state, limit, json }: ListOptions,
): Promise<void> {
  const { terminal } = context;
  const text = await (await connectGateway(context)).get('/admin/changes', { state, limit });
  if (json) terminal.line(text);
  else printChanges(terminal, readAnswer(changes, text));
}

export async function showChange(context: CommandContext, id: string, { json }: JsonOption): Promise<void> {
  const { terminal } = context;
  const text = await (await connectGateway(context)).get(`/admin/changes/${encodeURIComponent(id)}`);
  if (json) terminal.line(text);
  else printChange(terminal, readAnswer(change, text));
}

const paths = { approve: 'approval', refuse: 'refusal', withdraw: 'withdrawal' } as const;

export async function decide(
  context: CommandContext,
  { act, id }: { readonly act: keyof typeof paths; readonly id: string },
  { because, despiteProbes, json }: DecisionOptions,
): Promise<void> {
  const { terminal } = context;
  const gateway = await connectGateway(context);
  const text = await gateway.post(`/admin/changes/${encodeURIComponent(id)}/${paths[act]}`, {
    because,
    despiteProbes,
  });
  if (json) terminal.line(text);
  else printChange(terminal, readAnswer(change, text));
}
