/**
 * A change of the scheme: what one object was and what it will be (ADM-2). Pure: who proposes and approves is in
 * db/scheme/changes.ts.
 */
import { unordered } from './canonical.ts';
import { schemeIdOf, schemeKinds, type Scheme, type SchemeDocument, type SchemeKind } from './documents.ts';

/** One object of a change. */
export interface SchemeEdit {
  readonly kind: SchemeKind;
  readonly id: string;
  /** null: there was none, or it had ended. */
  readonly before: SchemeDocument | null;
  /** null: it ends. */
  readonly after: SchemeDocument | null;
}

/** A member that differs; absent members are undefined. */
export interface MemberDifference {
  /**
   * JSON Pointer (RFC 6901) within the document. Of a list of objects, what identifies the item stands in place of its position:
   * `/secrets/secretId=1/endsAt`.
   */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Every member that differs, deepest first told; lists of plain values as a whole. */
export function differencesOf({
  kind,
  before,
  after,
}: Pick<SchemeEdit, 'kind' | 'before' | 'after'>): readonly MemberDifference[] {
  if (before === null || after === null) return [...differences('', before ?? undefined, after ?? undefined)];
  return [...differences('', byIdentity(kind, before), byIdentity(kind, after))];
}

/** With objects in place of lists, so that an item is compared with itself, and not with what has moved to its place. */
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
    while (name in found) name += ' again'; // none is passed over
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

/** Members that can be told one by one: those of two objects, or of two lists that are not of plain values. */
const areToldByMember = (before: Container, after: Container): boolean =>
  Array.isArray(before) === Array.isArray(after) &&
  (!Array.isArray(before) || [before, after].some((list) => Object.values(list).some(isContainer)));

const isContainer = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Whatever the order of members: the database has its own. */
export function isSame(one: unknown, other: unknown): boolean {
  if (!isContainer(one) || !isContainer(other)) return one === other;
  const [names, others] = [Object.keys(one), Object.keys(other)];
  return (
    Array.isArray(one) === Array.isArray(other) &&
    names.length === others.length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))
  );
}

/** Members whose change takes effect only when a second person approves (ADM-2); `all`: every member. */
const approvedMembers: Readonly<Record<SchemeKind, 'all' | readonly string[]>> = {
  currencies: ['decimalPlaces'], // what an amount is
  countries: [],
  operators: ['endpointUrl', 'callbackOrigins', 'signsMessages', 'publicKeys'],
  'clearing-systems': ['operatorId', 'currencyCode', 'bookEndpointUrl'],
  'address-inputs': [],
  'address-types': [],
  // who has a BIC gets its payments
  institutions: [
    ...['bics', 'lei', 'otherIds', 'memberships', 'publicKeys'],
    ...['bookEndpointUrl', 'notificationUrl', 'settlementAccess'],
  ],
  'settlement-accounts': 'all',
  'fee-formulas': 'all',
  clients: 'all',
  'fx-prices': 'all',
};

/** Whether a second person must approve it (ADM-2). A client ends at once (ADM-4). */
export function needsApproval(edit: SchemeEdit): boolean {
  const { kind, after } = edit;
  if (kind === 'clients' && after === null) return false;
  const members = approvedMembers[kind];
  if (members === 'all') return true;
  if (members.length === 0) return false;
  return differencesOf(edit).some(({ path }) => path === '' || members.includes(path.split('/')[1] ?? ''));
}

/** The scheme as it is after the edits. */
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
  /** What there is stays as it is. */
  readonly onlyNew?: boolean;
  /** What the other lacks ends. */
  readonly endAbsent?: boolean;
}

/** What makes `to` of `from`. Prices of an FX provider are its own: those that it has stay. */
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
