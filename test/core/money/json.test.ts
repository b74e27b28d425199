// Repeated members, compared with JSON.parse: the parsed object has fewer members exactly when one is repeated.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findRepeatedMembers, findUnstorable } from '../../../core/json.ts';

type Tree =
  | null
  | boolean
  | number
  | string
  | readonly Tree[]
  | { readonly members: readonly (readonly [string, Tree])[] };

const name = fc.oneof(
  fc.constantFrom('a', 'b', '', '\\', '"', '__proto__', 'é', '/', '~'),
  fc.string({ unit: 'binary', maxLength: 3 }),
);
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(
      fc.constant(null),
      fc.boolean(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string(),
      fc.constantFrom('{', '":', '"a":1,"a":1', ','),
    ),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.record({ members: fc.array(fc.tuple(name, tie('tree')), { maxLength: 5 }) }),
  ),
}));
const spaces = fc.constantFrom('', ' ', '\n\t', '\r\n');

/** A text as somebody might write it: with white space, and names escaped or not. */
function write(value: Tree, space: string, isEscaped: boolean): string {
  const escaped = (one: string) =>
    one.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const text = (one: string) => (isEscaped ? `"${escaped(one).join('')}"` : JSON.stringify(one));
  const list = (items: readonly string[]) => items.join(`${space},${space}`);
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (!('members' in value))
    return `[${space}${list(value.map((one) => write(one, space, isEscaped)))}${space}]`;
  // every other name escaped, so that one name is spelled in two ways
  const members = value.members.map(([key, one], index) => {
    const spelled = index % 2 === 0 ? text(key) : JSON.stringify(key);
    return `${spelled}${space}:${space}${write(one, space, isEscaped)}`;
  });
  return `{${space}${list(members)}${space}}`;
}

/** Where names repeat, found the slow way. */
function expected(value: Tree, path: readonly (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [];
  if (!('members' in value)) return value.flatMap((one, index) => expected(one, [...path, index]));
  const seen = new Set<string>();
  return value.members.flatMap(([key, one]) => {
    const own = seen.has(key) ? [[...path, key]] : [];
    seen.add(key);
    return [...own, ...expected(one, [...path, key])];
  });
}

const membersOf = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 0
    : Object.values(value).reduce<number>(
        (sum, one) => sum + membersOf(one),
        Array.isArray(value) ? 0 : Object.keys(value).length,
      );
const unique = (paths: readonly (readonly (string | number)[])[]) => [
  ...new Set(paths.map((path) => JSON.stringify(path))),
];

test('are found where they stand, however they are spelled, and nothing else is', () => {
  let repeated = 0;
  fc.assert(
    fc.property(tree, spaces, fc.boolean(), (value, space, isEscaped) => {
      const text = write(value, space, isEscaped);
      const found = findRepeatedMembers(text, Infinity);
      expect(unique(found)).toEqual(unique(expected(value)));
      if (found.length > 0) repeated += 1;
    }),
    { numRuns: 2_000 },
  );
  expect(repeated).toBeGreaterThan(100);
});

test('are none in what JSON.parse and JSON.stringify leave as it was', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(findRepeatedMembers(text, Infinity)).toEqual([]);
    }),
  );
});

test('are what JSON.parse loses', () => {
  fc.assert(
    fc.property(tree, (value) => {
      const text = write(value, '', false);
      const written = [...text.matchAll(/"(?:[^"\\]|\\.)*"(:?)/g)].filter(
        ([, colon]) => colon === ':',
      ).length;
      expect(findRepeatedMembers(text, Infinity).length > 0).toBe(membersOf(JSON.parse(text)) < written);
    }),
    { numRuns: 1_000 },
  );
});

test('what nobody stores as it was sent is found wherever it stands: half a character, U+0000; a whole one is none (SEC-4)', () => {
  const text = String.raw`{"a":"\ud83d\ude00","b":["x\ud800",{"c":"\udc00y","e\u0000":1}],"d":"\\ud800","n":"\u0000","m":"\\u0000"}`;
  expect(findUnstorable(text, Infinity)).toEqual([
    { path: ['b', 0], what: 'half-character' },
    { path: ['b', 1, 'c'], what: 'half-character' },
    { path: ['n'], what: 'null-character' },
  ]);
  expect(findUnstorable(text, 1)).toHaveLength(1);
  expect(findUnstorable(String.raw`"\ud800"`, 1)).toEqual([{ path: [], what: 'half-character' }]);
});
