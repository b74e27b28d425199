// Shows texts of our own documents, which the API serves as Markdown.
import { raw } from 'hono/html';
import { marked } from 'marked';
import type { Html } from './format.ts';
import type { Gateway } from './gateway.ts';

/**
 * A text without its title, which the page shows. Never for what a party or person wrote: Markdown may hold HTML.
 * @returns undefined if there is no such text
 */
export async function ownText(api: Gateway, path: string): Promise<Html | undefined> {
  const markdown = await readOwn(api, path);
  return markdown === undefined ? undefined : raw(marked.parse(markdown, { async: false }));
}

/** The first paragraph of a text as HTML, without the paragraph around it. */
export async function ownFirstParagraph(api: Gateway, path: string): Promise<Html | undefined> {
  const [first] = (await readOwn(api, path))?.trim().split('\n\n') ?? [];
  return first === undefined ? undefined : raw(marked.parseInline(first, { async: false }));
}

async function readOwn(api: Gateway, path: string): Promise<string | undefined> {
  const answer = await api.send(path);
  return answer.ok ? (await answer.text()).replace(/^# .*\n/, '') : undefined;
}
