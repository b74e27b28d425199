// Edits of a message's text, for what its builder does not write. An edit that finds nothing to replace is a mistake of
// the load, and is told.

export type Edit = (xml: string) => string;

/** Replaces the first place. @throws when there is none */
function edit(xml: string, from: string | RegExp, to: string): string {
  const edited = xml.replace(from, () => to);
  if (edited === xml) throw new Error(`nothing to replace: ${String(from)}`);
  return edited;
}

/** An edit to be made later. */
export const swap =
  (from: string | RegExp, to: string): Edit =>
  (xml) =>
    edit(xml, from, to);

/** What stands before, or after, the first place of a text. */
export const before = (mark: string, text: string) => swap(mark, text + mark);
export const after = (mark: string, text: string) => swap(mark, mark + text);

export const all =
  (edits: readonly Edit[]): Edit =>
  (xml) =>
    edits.reduce((text, one) => one(text), xml);

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (one) => escapes[one] ?? one);
