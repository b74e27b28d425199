// `isthmus admin list`, `show` and `ready`: what the scheme has, and what a party still lacks.
import type { CommandContext } from '../command.ts';
import type { JsonOption } from './changes.ts';
import { connectGateway } from '../ops/connection.ts';
import { documents, object, readiness, readAnswer } from './answers.ts';
import { printChange } from './show.ts';

export async function listObjects(
  context: CommandContext,
  kind: string,
  { json }: JsonOption,
): Promise<void> {
  const { terminal } = context;
  const text = await (await connectGateway(context)).get(`/admin/scheme/${kind}`);
  if (json) {
    terminal.line(text);
    return;
  }
  const found = readAnswer(documents, text);
  if (found.length === 0) terminal.line(`There are no ${kind} yet.`);
  for (const one of found) terminal.line(JSON.stringify(one));
}

export async function showObject(
  context: CommandContext,
  { kind, id }: { readonly kind: string; readonly id: string },
  { json }: JsonOption,
): Promise<void> {
  const { terminal } = context;
  const text = await (await connectGateway(context)).get(`/admin/scheme/${kind}/${encodeURIComponent(id)}`);
  if (json) {
    terminal.line(text);
    return;
  }
  const { document, secrets, history } = readAnswer(object, text);
  terminal.line(document === null ? `${kind} ${id} has ended.` : JSON.stringify(document, null, 2));
  for (const { secretId, endsAt } of secrets ?? [])
    terminal.line(`Secret ${secretId}${endsAt === null ? '' : ` until ${endsAt}`}`);
  if (secrets?.length === 0) terminal.line('It has no secret.');
  terminal.line();
  terminal.line(`Its changes, newest first: ${history.length}`);
  for (const one of history) {
    printChange(terminal, {
      ...one,
      objects: one.objects.filter((edit) => edit.kind === kind && edit.id === id),
    });
  }
}

export async function showReadiness(
  context: CommandContext,
  party: string,
  { json }: JsonOption,
): Promise<void> {
  const { terminal } = context;
  const text = await (await connectGateway(context)).get(`/admin/readiness/${encodeURIComponent(party)}`);
  if (json) {
    terminal.line(text);
    return;
  }
  const { isReady, items } = readAnswer(readiness, text);
  for (const { item, isMet, says } of items) {
    terminal.line(isMet ? `✓ ${item}: ${says}` : terminal.paint('warning', `! ${item}: ${says}`));
  }
  terminal.line(isReady ? `${party} lacks nothing.` : `${party} is not ready yet.`);
}
