// Markdown as the tests read it: headings with the anchors that GitHub gives them, links, and what is no code.

/** Text outside fenced blocks and comments. */
export function proseOf(markdown: string): string {
  return markdown.replaceAll(/^```[^]*?^```$/gm, '').replaceAll(/<!--[^]*?-->/g, '');
}

export interface Section {
  /** Number of `#`. */
  readonly level: number;
  readonly title: string;
  /** What GitHub calls it in an address: the second heading of a name ends in `-1`. */
  readonly anchor: string;
  /** Up to the next heading of any level. */
  readonly text: string;
}

export function sectionsOf(markdown: string): readonly Section[] {
  const seen = new Map<string, number>();
  const parts = proseOf(markdown).split(/^(?=#{1,6} )/m);
  return parts.flatMap((part) => {
    const [, hashes = '', written = '', text = ''] = /^(#{1,6}) (.*)\n?([^]*)$/.exec(part) ?? [];
    if (hashes === '') return [];
    const title = written.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '');
    const base = title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(base) ?? 0;
    seen.set(base, count + 1);
    return [{ level: hashes.length, title, anchor: count === 0 ? base : `${base}-${count}`, text }];
  });
}

export interface Link {
  readonly text: string;
  /** Without the anchor; empty: the document itself. */
  readonly path: string;
  readonly anchor: string | undefined;
}

/** Links within the repository. */
export function linksOf(markdown: string): readonly Link[] {
  const links = proseOf(markdown).matchAll(/\[([^\][]*)\]\(([^)\s#]*)(?:#([^)\s]*))?\)/g);
  return [...links]
    .map(([, text = '', path = '', anchor]) => ({ text, path, anchor }))
    .filter(({ path }) => !/^[a-z]+:/.test(path));
}
