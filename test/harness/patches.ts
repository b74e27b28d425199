// Edits of a message's text. An edit that finds nothing to replace is a mistake in the test, and is told.

/** Replaces the first place. @throws when there is none */
export function edit(xml: string, from: string | RegExp, to: string): string {
  const edited = xml.replace(from, to);
  if (edited === xml) throw new Error(`nothing to replace: ${String(from)}`);
  return edited;
}

/** An edit to be made later: one text in place of another. */
export const swap = (from: string | RegExp, to: string) => (xml: string) => edit(xml, from, to);

/** An edit to be made later: what matches is left out. */
export const cut = (pattern: RegExp) => swap(pattern, '');
