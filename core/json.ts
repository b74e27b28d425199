/**
 * What JSON.parse takes without a word: unlimited depth; members that occur more than once in one object, of which it
 * takes the last one and other parsers the first; and texts with half a character or U+0000, which nobody stores as
 * they were sent.
 */

export type JsonPath = readonly (string | number)[];

interface Frame {
  /** In an object: the names so far. In an array: undefined. */
  readonly names: Set<string> | undefined;
  /** Where we are: the member's name or the element's index. */
  at: string | number;
  isNameDue: boolean;
}

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

/**
 * Whether a text that JSON.parse accepts has more than so many objects and arrays within each other, also where
 * JSON.parse drops them because their member is given again.
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
  /** As it is written. */
  readonly lexeme: string;
  readonly isName: boolean;
  /** Where it stands: the frames around it, of which the last is its own. It changes as reading goes on. */
  readonly stack: readonly Frame[];
}

/** The texts of a JSON text that JSON.parse accepts, names included, in their order. */
function* textsOf(text: string): Iterable<Text> {
  const stack: Frame[] = [];
  for (const [lexeme] of text.matchAll(token)) {
    const frame = stack.at(-1);
    switch (lexeme) {
      case '{':
        stack.push({ names: new Set(), at: '', isNameDue: true });
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
 * @param text that JSON.parse accepts
 * @param limit after which to stop; each name of an object is reported once
 * @returns where they stand, from the top of the text
 */
export function findRepeatedMembers(text: string, limit: number): readonly JsonPath[] {
  const found: JsonPath[] = [];
  const told: PathTree = { within: new Map(), isTold: false };
  for (const { isName, stack } of textsOf(text)) {
    const frame = stack.at(-1);
    if (!isName || frame?.names === undefined) continue;
    const name = String(frame.at);
    if (!frame.names.has(name)) {
      frame.names.add(name);
      continue;
    }
    const place = placeOf(stack, told);
    if (!place.isTold) found.push(pathOf(stack));
    place.isTold = true; // an object may itself stand twice
    if (found.length >= limit) break;
  }
  return found;
}

/**
 * A tree by names: it knows which places were told without making texts of their paths, which may be as long as the
 * body.
 */
interface PathTree {
  readonly within: Map<string | number, PathTree>;
  isTold: boolean;
}

function placeOf(stack: readonly Frame[], top: PathTree): PathTree {
  let place = top;
  for (const { at } of stack) {
    const next = place.within.get(at) ?? { within: new Map(), isTold: false };
    place.within.set(at, next);
    place = next;
  }
  return place;
}

export interface Unstorable {
  readonly path: JsonPath;
  /** Half a character is a surrogate without its other half: "\\ud800". Postgres has no U+0000 in texts. */
  readonly what: 'half-character' | 'null-character';
}

const halfCharacter = /\p{Surrogate}/u;

/**
 * @param text that JSON.parse accepts, and that is whole UTF-8: only an escape can make such a text
 * @returns where texts stand that nobody stores as they were sent; names are not looked at: unknown ones are refused
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
