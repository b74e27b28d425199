/**
 * A change of the scheme: each object before and after it (ADM-2). Pure; db/scheme/changes.ts handles proposals and
 * approvals.
 */
import { unordered } from './canonical.ts';
import {
  schemeIdOf,
  schemeKinds,
  type ClientDocument,
  type Scheme,
  type SchemeDocument,
  type SchemeKind,
} from './documents.ts';

/** One object of a change. */
export interface SchemeEdit {
  readonly kind: SchemeKind;
  readonly id: string;
  /** null if the object does not exist or has ended. */
  readonly before: SchemeDocument | null;
  /** null if the change ends the object. */
  readonly after: SchemeDocument | null;
}

/** A member that differs; an absent value is undefined. */
export interface MemberDifference {
  /**
   * JSON Pointer (RFC 6901) within the document. In a list of objects, the item's identity replaces its index:
   * `/secrets/secretId=1/endsAt`.
   */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** All members that differ, at the deepest level that differs. A list of plain values counts as one member. */
export function differencesOf({
  kind,
  before,
  after,
}: Pick<SchemeEdit, 'kind' | 'before' | 'after'>): readonly MemberDifference[] {
  if (before === null || after === null) return [...differences('', before ?? undefined, after ?? undefined)];
  return [...differences('', byIdentity(kind, before), byIdentity(kind, after))];
}

/**
 * Replaces lists of objects by objects keyed by identity, so that an item is compared with itself at any
 * position.
 */
function byIdentity(kind: SchemeKind, document: SchemeDocument): Container {
  const lists = Object.entries(unordered[kind]).filter(([, by]) => by.length > 0);
  const items = document as unknown as Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
  return {
    ...document,
    ...Object.fromEntries(lists.map(([member, by]) => [member, named(items[member] ?? [], by)])),
  };
}

function named(items: readonly Readonly<Record<string, unknown>>[], by: readonly string[]) {
  const found: Record<string, unknown> = {};
  for (const item of items) {
    let name = by.map((member) => `${member}=${String(item[member])}`).join(',');
    while (name in found) name += ' again'; // keeps items with the same identity apart
    found[name] = item;
  }
  return found;
}

function* differences(path: string, before: unknown, after: unknown): Iterable<MemberDifference> {
  if (isSame(before, after)) return;
  if (!isContainer(before) || !isContainer(after) || !areToldByMember(before, after)) {
    yield { path, before, after };
    return;
  }
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const pointer = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    yield* differences(pointer, before[name], after[name]);
  }
}

type Container = Readonly<Record<string, unknown>>;

/** Whether to compare member by member: for two objects, or two lists of which one contains objects. */
const areToldByMember = (before: Container, after: Container): boolean =>
  Array.isArray(before) === Array.isArray(after) &&
  (!Array.isArray(before) || [before, after].some((list) => Object.values(list).some(isContainer)));

const isContainer = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Deep equality. The order of members does not matter, because the database changes it. */
export function isSame(one: unknown, other: unknown): boolean {
  if (!isContainer(one) || !isContainer(other)) return one === other;
  const [names, others] = [Object.keys(one), Object.keys(other)];
  return (
    Array.isArray(one) === Array.isArray(other) &&
    names.length === others.length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))
  );
}

/**
 * Members that one person may change alone, as `<kind><JSON Pointer>`, each with the reason why that is
 * harmless. A second person must approve changes of all other members, including members added to the code
 * later.
 * @internal exported for tests
 */
export const harmlessMembers: Readonly<Record<string, string>> = {
  'currencies/name': 'people read it; nothing is decided by it',
  'currencies/symbol': 'people read it beside an amount, which names the currency by its code',
  'countries/name': 'people read it; nothing is decided by it',
  'operators/name': 'people read it; a party is known by its id',
  'address-inputs/label/title': 'the words over a field; which field it is, and what it takes, stay',
  'address-inputs/attributes/placeholder': 'an example that is shown in an empty field, and never sent',
  'address-types/displayOrder': 'where it stands in a list',
  'institutions/name': 'people read it; a payment goes by BIC, LEI or other ids',
};

/**
 * Whether a second person must approve the edit. Ending a client needs no approval, and neither does an operator's
 * change of its own secrets.
 * @param by client id of the proposer
 */
export function needsApproval(edit: SchemeEdit, by: string): boolean {
  const { kind, after } = edit;
  if (kind === 'clients' && (after === null || isOwnSecret(edit, by))) return false;
  return differencesOf(edit).some(
    ({ path }) =>
      !Object.keys(harmlessMembers).some((one) => one === kind + path || (kind + path).startsWith(`${one}/`)),
  );
}

/**
 * Whether an edit changes an operator's client beyond its own secrets, makes a client an operator, or adds an
 * operator with secrets. A person who knows another operator's secret could approve their own proposals as
 * that operator.
 */
export function isCredentialOfAnother(edit: SchemeEdit, by: string): boolean {
  if (edit.kind !== 'clients' || edit.after === null) return false;
  const [before, after] = [edit.before as ClientDocument | null, edit.after as ClientDocument];
  if (before?.role !== 'operator' && after.role !== 'operator') return false;
  return before === null ? after.secrets.length > 0 : !isOwnSecret(edit, by);
}

/** Whether an operator changes only its own secrets. */
function isOwnSecret({ id, before, after }: SchemeEdit, by: string): boolean {
  const isOperator = (before as ClientDocument | null)?.role === 'operator';
  return isOperator && id === by && isSame({ ...before, secrets: [] }, { ...after, secrets: [] });
}

/** The scheme with the edits applied. */
export function edited(scheme: Scheme, edits: readonly SchemeEdit[]): Scheme {
  const after = Object.fromEntries(
    schemeKinds.map((kind) => [kind, new Map<string, SchemeDocument>(scheme[kind])]),
  );
  for (const { kind, id, after: document } of edits) {
    if (document === null) after[kind]?.delete(id);
    else after[kind]?.set(id, document);
  }
  return after as unknown as Scheme;
}

export interface CompareOptions {
  /** Leaves existing objects unchanged. */
  readonly onlyNew?: boolean;
  /** Ends objects that `to` lacks. */
  readonly endAbsent?: boolean;
}

/** The edits that turn `from` into `to`. Existing prices of an FX provider stay, because only it may change them. */
export function editsBetween(from: Scheme, to: Scheme, options: CompareOptions = {}): readonly SchemeEdit[] {
  const { onlyNew = false, endAbsent = false } = options;
  return schemeKinds.flatMap((kind) => {
    const [had, will] = [from[kind], to[kind]] as readonly ReadonlyMap<string, SchemeDocument>[];
    const set = [...(will?.values() ?? [])].flatMap((after): SchemeEdit[] => {
      const id = schemeIdOf(kind, after as never);
      const before = had?.get(id) ?? null;
      const stays = before !== null && (onlyNew || kind === 'fx-prices' || isSame(before, after));
      return stays ? [] : [{ kind, id, before, after }];
    });
    const ended = [...(had?.entries() ?? [])].flatMap(([id, before]): SchemeEdit[] =>
      endAbsent && kind !== 'fx-prices' && will?.has(id) !== true ? [{ kind, id, before, after: null }] : [],
    );
    return [...set, ...ended];
  });
}
