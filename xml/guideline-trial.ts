/**
 * Tries a usage guideline against ours: whatever ours refuses in an element that our rules read, it must refuse as well,
 * because the code after the schema relies on it (MSG-8). Messages are changed in one place at a time.
 */
import type { XmlElement } from '../core/iso20022/tree.ts';

export interface Trial {
  /** Names from `Document` and the message element on, as in `GrpHdr/MsgId`. */
  readonly isRead: (path: string) => boolean;
  /** By our own schema, and by the one on trial. */
  readonly own: (document: XmlElement) => boolean;
  readonly tried: (document: XmlElement) => boolean;
}

/** Values that some rule would take for something else, or for nothing. */
const oddValues: readonly string[] = [
  ...[
    '',
    ' ',
    '0',
    '-1',
    '+5',
    '.5',
    '5.',
    '1e3',
    '1,5',
    '0x1',
    'NaN',
    'INF',
    '\uff11',
    '00000000000000000000000000001',
  ],
  ...[
    '1.123456',
    '123456789012345678901234567890',
    '/x',
    'x/',
    'a//b',
    'x'.repeat(36),
    'x'.repeat(150),
    'x'.repeat(3_000),
  ],
  ...['a\u202eb', 'a\u200b', '\u00e9', 'usd', 'USDD', 'US', 'OUR', 'COVE', 'URGP', '2', 'true', 'TRUE'],
  ...[
    '2026-01-01',
    '2026-02-30',
    '2026-01-01T00:00:00',
    '10000-01-01T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-13-01',
  ],
  ...[
    '6F1F3A52-9D0C-4F7E-8A43-2F4B7A1C9E01',
    '6f1f3a52-9d0c-1f7e-8a43-2f4b7a1c9e01',
    'LOTUSGS',
    'lotusgs0',
    'LOTUSGS0X',
  ],
  ...['SG00', 'sg12abcd', 'ABCDE', 'abcd', 'A'],
];

const stepsTo = (chain: readonly XmlElement[]) =>
  chain
    .slice(2)
    .map(({ name }) => name)
    .join('/');

/** The same document with one element in place of another; none: without it. */
function replaced(chain: readonly XmlElement[], by: readonly XmlElement[]): XmlElement {
  const [root] = chain;
  const swap = (element: XmlElement, depth: number): XmlElement => {
    const next = chain[depth + 1];
    const children = element.children.flatMap((child) =>
      child !== next ? [child] : depth + 2 === chain.length ? by : [swap(child, depth + 1)],
    );
    return { ...element, children };
  };
  return swap(root as XmlElement, 0);
}

function* chainsOf(element: XmlElement, outer: readonly XmlElement[] = []): Iterable<readonly XmlElement[]> {
  const chain = [...outer, element];
  if (chain.length > 2) yield chain;
  for (const child of element.children) yield* chainsOf(child, chain);
}

/** The paths of a document, from below its message element. */
export const pathsOf = (document: XmlElement): ReadonlySet<string> =>
  new Set([...chainsOf(document)].map(stepsTo));

/**
 * @param documents valid by the schema on trial
 * @returns one sentence per fault
 */
export function tryAgainstOwn(trial: Trial, documents: readonly XmlElement[]): readonly string[] {
  const faults = new Set<string>();
  const valuesTried = new Set<string>();
  for (const document of documents) {
    for (const chain of chainsOf(document)) {
      const path = stepsTo(chain);
      const element = chain.at(-1);
      if (element === undefined || !trial.isRead(path)) continue;
      const judge = (by: readonly XmlElement[], what: string) => {
        const changed = replaced(chain, by);
        if (!trial.own(changed) && trial.tried(changed)) faults.add(`${path}: ${what}`);
      };
      judge([], 'it is taken without this element, which our rules read');
      judge([element, element], 'it is taken twice, and our rules read one');
      if (element.children.length > 0 || valuesTried.has(path)) continue;
      valuesTried.add(path);
      const own = element.text;
      for (const text of [...oddValues, ...[' ', '\n', '\t'].flatMap((space) => [space + own, own + space])])
        judge([{ ...element, text }], `it is taken with the value ${shown(text)}`);
      for (const text of Object.keys(element.attributes).length === 0 ? [] : ['', 'usd', 'EURO', 'E'])
        judge([{ ...element, attributes: { Ccy: text } }], `it is taken with the currency ${shown(text)}`);
      if (element.attributes['Ccy'] !== undefined)
        judge([{ ...element, attributes: {} }], 'it is taken without Ccy');
    }
  }
  return [...faults];
}

const shown = (text: string) => (text.length > 40 ? `of ${text.length} characters` : JSON.stringify(text));
