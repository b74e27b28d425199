/**
 * Finds input that JSON.parse accepts silently: deep nesting, duplicate members, and texts that cannot be
 * stored unaltered (lone surrogates, U+0000). JSON.parse keeps the last of duplicate members; other parsers
 * keep the first.
 */

export type JsonPath = readonly (string | number)[];

interface Frame {
  /** How often each member name was seen so far, for an object; undefined for an array. */
  readonly names: Map<string, number> | undefined;
  /** The current position: the member's name or the element's index. */
  at: string | number;
  isNameDue: boolean;
}

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

/**
 * Whether objects and arrays are nested deeper than `levels`. It also counts the value of a duplicate member, which
 * JSON.parse drops.
 * @param text must be accepted by JSON.parse
 */
export function isDeeperThan(text: string, levels: number): boolean {
  let depth = 0;
  for (const [lexeme] of text.matchAll(token)) {
    if (lexeme === '{' || lexeme === '[') depth += 1;
    if (lexeme === '}' || lexeme === ']') depth -= 1;
    if (depth > levels) return true;
  }
  return false;
}

interface Text {
  /** The source text, with quotes and escapes. */
  readonly lexeme: string;
  readonly isName: boolean;
  /** The enclosing frames, innermost last. The generator keeps changing this array. */
  readonly stack: readonly Frame[];
}

/** All strings of a JSON text, member names included, in document order. The text must be accepted by JSON.parse. */
function* textsOf(text: string): Iterable<Text> {
  const stack: Frame[] = [];
  for (const [lexeme] of text.matchAll(token)) {
    const frame = stack.at(-1);
    switch (lexeme) {
      case '{':
        stack.push({ names: new Map(), at: '', isNameDue: true });
        break;
      case '[':
        stack.push({ names: undefined, at: 0, isNameDue: false });
        break;
      case '}':
      case ']':
        stack.pop();
        break;
      case ',':
        if (typeof frame?.at === 'number') frame.at += 1;
        else if (frame !== undefined) frame.isNameDue = true;
        break;
      case ':':
        if (frame !== undefined) frame.isNameDue = false;
        break;
      default: {
        const isName = frame?.isNameDue === true;
        if (isName) frame.at = read(lexeme);
        yield { lexeme, isName, stack };
      }
    }
  }
}

const read = (lexeme: string) =>
  lexeme.includes('\\') ? (JSON.parse(lexeme) as string) : lexeme.slice(1, -1);
const pathOf = (stack: readonly Frame[]): JsonPath => stack.map(({ at }) => at);

/**
 * Finds duplicate members.
 * @param text must be accepted by JSON.parse
 * @param limit the search stops after this many duplicates
 * @returns their paths from the root
 */
export function findRepeatedMembers(text: string, limit: number): readonly JsonPath[] {
  const found: JsonPath[] = [];
  for (const { isName, stack } of textsOf(text)) {
    const frame = stack.at(-1);
    if (!isName || frame?.names === undefined) continue;
    const name = String(frame.at);
    const count = (frame.names.get(name) ?? 0) + 1;
    frame.names.set(name, count);
    if (count === 2) found.push(pathOf(stack));
    if (found.length >= limit) break;
  }
  return found;
}

export interface Unstorable {
  readonly path: JsonPath;
  /**
   * `half-character`: a lone surrogate such as "\\ud800". `null-character`: U+0000, which Postgres refuses in texts.
   */
  readonly what: 'half-character' | 'null-character';
}

const halfCharacter = /\p{Surrogate}/u;

/**
 * Finds string values that cannot be stored unaltered. Names are not checked, because unknown names are refused anyway.
 * @param text must be accepted by JSON.parse and be valid UTF-8, so that only an escape can make such a value
 * @param limit the search stops after this many values
 */
export function findUnstorable(text: string, limit: number): readonly Unstorable[] {
  const found: Unstorable[] = [];
  for (const { lexeme, isName, stack } of textsOf(text)) {
    if (isName || !lexeme.includes('\\u')) continue;
    const value = read(lexeme);
    if (halfCharacter.test(value)) found.push({ path: pathOf(stack), what: 'half-character' });
    else if (value.includes('\0')) found.push({ path: pathOf(stack), what: 'null-character' });
    if (found.length >= limit) break;
  }
  return found;
}
