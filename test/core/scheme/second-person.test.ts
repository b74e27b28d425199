// Which members of the scheme one person changes alone (ADM-2): those that a table names, and no other, whatever members the
// forms of documents have.
import { expect, test } from 'vitest';
import { harmlessMembers, needsApproval, type SchemeEdit } from '../../../core/scheme/change.ts';
import { schemeKinds, type SchemeDocument, type SchemeKind } from '../../../core/scheme/documents.ts';
import { schemeForms } from '../../../db/scheme/forms.ts';

type Form = (typeof schemeForms)[SchemeKind];

/** What of zod's definitions is read here. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, Form>>;
  readonly element?: Form;
  readonly innerType?: Form;
  readonly in?: Form;
}
type Path = readonly string[];
const definitionOf = (form: Form) => form._zod.def as unknown as Definition;

/** Every member of a form that has no members itself; of a list, those of its first item. */
function leavesOf(form: Form, path: Path = []): readonly Path[] {
  const { type, shape, element, innerType, in: input } = definitionOf(form);
  if (shape !== undefined)
    return Object.entries(shape).flatMap(([name, member]) => leavesOf(member, [...path, name]));
  if (element !== undefined) return leavesOf(element, [...path, '0']);
  const within = innerType ?? input;
  if (within !== undefined) return leavesOf(within, path);
  return [type === 'record' ? [...path, 'en'] : path];
}

/** A document with every member that there may be. */
function documentOf(kind: SchemeKind, changed?: Path): SchemeDocument {
  const document = {};
  for (const path of leavesOf(schemeForms[kind])) {
    let place: Record<string, unknown> = document;
    for (const [depth, name] of path.entries()) {
      const isLast = depth === path.length - 1;
      const below = path[depth + 1] === '0' ? [] : {};
      place[name] ??= isLast ? (path.join() === changed?.join() ? 'other' : 'one') : below;
      place = place[name] as Record<string, unknown>;
    }
  }
  return document as SchemeDocument;
}

const edit = (kind: SchemeKind, after: SchemeDocument | null, before: SchemeDocument | null): SchemeEdit => ({
  kind,
  id: 'one',
  before,
  after,
});

test('every member of every object of the scheme takes two, but those that are named as harmless (ADM-2)', () => {
  const alone = schemeKinds.flatMap((kind) => {
    const paths = leavesOf(schemeForms[kind]);
    expect(paths.length).toBeGreaterThan(2);
    return paths
      .filter((path) => !needsApproval(edit(kind, documentOf(kind, path), documentOf(kind)), 'anna'))
      .map((path) => [kind, ...path].join('/'));
  });
  expect(alone.sort()).toEqual([
    'address-inputs/attributes/placeholder',
    'address-inputs/label/title/en',
    'address-types/displayOrder',
    'countries/name',
    'currencies/name',
    'currencies/symbol',
    'institutions/name',
    'operators/name',
  ]);
  expect(Object.keys(harmlessMembers)).toHaveLength(alone.length);
});

test('what is entered takes two, and what ends too, but a client (ADM-2, ADM-4)', () => {
  const oneIsEnough = schemeKinds.flatMap((kind) => [
    ...(needsApproval(edit(kind, documentOf(kind), null), 'anna') ? [] : [`enter ${kind}`]),
    ...(needsApproval(edit(kind, null, documentOf(kind)), 'anna') ? [] : [`end ${kind}`]),
  ]);
  expect(oneIsEnough).toEqual(['end clients']);
});

test('a harmless member beside another that is not takes two (ADM-2)', () => {
  const before = documentOf('institutions');
  const after = { ...before, name: 'other', onboarded: 'other' } as unknown as SchemeDocument;
  expect(needsApproval(edit('institutions', after, before), 'anna')).toBe(true);
});
