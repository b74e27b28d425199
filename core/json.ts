/**
 * What JSON.parse passes without a word: depth without end; members that occur more than once in one object, of which it
 * takes the last one and other parsers the first; and texts with half a character, which nobody stores as they were sent
 * (SEC-4).
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

/**
 * @param text that JSON.parse accepts, and that is not deep: where a member is repeated, each level above costs time
 * @param limit after which to stop; each name of an object is reported once
 * @returns where they stand, from the top of the text
 */
export function findRepeatedMembers(text: string, limit: number): readonly JsonPath[] {
  const found: JsonPath[] = [];
  const stack: Frame[] = [];
  const told = new Set<string>();
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
        if (frame?.names === undefined || !frame.isNameDue) break; // a value
        frame.at = lexeme.includes('\\') ? (JSON.parse(lexeme) as string) : lexeme.slice(1, -1);
        if (!frame.names.has(frame.at)) {
          frame.names.add(frame.at);
          break;
        }
        const path = stack.map(({ at }) => at);
        const key = JSON.stringify(path);
        if (!told.has(key)) found.push(path);
        told.add(key);
        if (found.length >= limit) return found;
      }
    }
  }
  return found;
}

const halfCharacter = /\p{Surrogate}/u; // one without its other half: "\ud800"

/**
 * @param value of a parsed text that is not deep; names are not looked at: unknown ones are refused
 * @returns where texts with half a character stand
 */
export function findHalfCharacters(value: unknown, at: JsonPath = []): readonly JsonPath[] {
  if (typeof value === 'string') return halfCharacter.test(value) ? [at] : [];
  if (Array.isArray(value)) return value.flatMap((one, index) => findHalfCharacters(one, [...at, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => findHalfCharacters(one, [...at, name]));
}
