// Edits of a message's text, for content that the builder cannot write. An edit that matches nothing is a defect of the
// load, so it throws.

export type Edit = (xml: string) => string;

/** Replaces the first match. @throws Error if there is none */
function edit(xml: string, from: string | RegExp, to: string): string {
  const edited = xml.replace(from, () => to);
  if (edited === xml) throw new Error(`nothing to replace: ${String(from)}`);
  return edited;
}

/** Returns an edit that replaces the first match. */
export const swap =
  (from: string | RegExp, to: string): Edit =>
  (xml) =>
    edit(xml, from, to);

/** Returns an edit that inserts text before, or after, the first occurrence of a mark. */
export const before = (mark: string, text: string) => swap(mark, text + mark);
export const after = (mark: string, text: string) => swap(mark, mark + text);

export const all =
  (edits: readonly Edit[]): Edit =>
  (xml) =>
    edits.reduce((text, one) => one(text), xml);

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (one) => escapes[one] ?? one);
