/**
 * Checks that a usage guideline is as strict as the built-in one about the elements that the rules of Isthmus
 * read. The code after validation relies on that. The check compares the schemas type by type.
 */
import type { Particle, SchemaModel, SimpleType } from './schema-model.ts';

interface Comparison {
  readonly own: SchemaModel;
  readonly tried: SchemaModel;
  /**
   * Whether the rules of Isthmus read an element. The path begins below the message element, as in
   * `GrpHdr/MsgId`.
   */
  readonly isRead: (path: string) => boolean;
}

/** @returns one sentence per fault */
export function findLooser(comparison: Comparison): readonly string[] {
  const { own, tried } = comparison;
  const messageOf = ({ complexTypes }: SchemaModel) => complexTypes.get('Document')?.options[0]?.[0];
  const [mine, theirs] = [messageOf(own), messageOf(tried)];
  if (mine === undefined || theirs?.name !== mine.name) return ['it is of another message'];
  return [...new Set(compare(comparison, { mine, theirs, path: '' }))];
}

interface Pair {
  readonly mine: Particle;
  readonly theirs: Particle;
  readonly path: string;
}

function* compare(comparison: Comparison, { mine, theirs, path }: Pair): Iterable<string> {
  const { own, tried, isRead } = comparison;
  if (theirs.min < mine.min) yield `${path}: it may be missing, and our rules read it`;
  if (theirs.max > mine.max)
    yield `${path}: it may come more than ${mine.max} times, and our rules read no more`;
  const [ownType, type] = [own.complexTypes.get(mine.type), tried.complexTypes.get(theirs.type)];
  if (
    ownType?.kind !== type?.kind ||
    (ownType?.kind === 'alternatives' && ownType.options.length !== type?.options.length)
  ) {
    yield `${path}: it must be made as in ours`;
    return;
  }
  if (ownType === undefined || type === undefined || ownType.kind === 'amount') {
    const names =
      ownType === undefined
        ? [[mine.type, theirs.type]]
        : [
            ['AmountValue', 'AmountValue'],
            ['Currency', 'Currency'],
          ];
    for (const [one = '', other = ''] of names)
      for (const fault of looserValues(own.simpleTypes.get(one), tried.simpleTypes.get(other)))
        yield `${path}: ${fault}`;
    return;
  }
  const below = (name: string) => (path === '' ? name : `${path}/${name}`);
  const isChoice = ownType.kind === 'choice';
  const names = ownType.options.flat().map(({ name }) => name);
  for (const [index, option] of type.options.entries()) {
    const ours = isChoice ? ownType.options.flat() : (ownType.options[index] ?? []);
    if (
      isChoice &&
      option.some(({ name }) => !names.includes(name)) &&
      names.some((name) => isRead(below(name)))
    )
      yield `${below(option[0]?.name ?? '')}: our rules do not know this choice`;
    for (const one of ours.filter(({ name }) => isRead(below(name)))) {
      const other = option.find(({ name }) => name === one.name);
      if (other !== undefined)
        yield* compare(comparison, { mine: one, theirs: other, path: below(one.name) });
      else if (!isChoice && one.min > 0)
        yield `${below(one.name)}: it is needed, and the schema has no such element`;
    }
  }
}

const upper = ['maxLength', 'totalDigits', 'fractionDigits', 'maxInclusive', 'maxExclusive'];
const lower = ['minLength', 'minInclusive', 'minExclusive'];

/** Each facet of the built-in type must be present, with the same value or a stricter one. */
function* looserValues(mine: SimpleType | undefined, theirs: SimpleType | undefined): Iterable<string> {
  if (mine === undefined || theirs === undefined || mine.base.split(':')[1] !== theirs.base.split(':')[1]) {
    yield `its type must be made of ${mine?.base ?? 'the same'}, as in ours`;
    return;
  }
  const valuesOf = ({ facets }: SimpleType, facet: string) =>
    facets.filter(({ name }) => name === facet).map(({ value }) => value);
  for (const facet of new Set(mine.facets.map(({ name }) => name))) {
    const [ours, others] = [valuesOf(mine, facet), valuesOf(theirs, facet)];
    const isStricter = (other: string) =>
      upper.includes(facet)
        ? Number(other) <= Number(ours[0])
        : lower.includes(facet)
          ? Number(other) >= Number(ours[0])
          : ours.includes(other);
    if (others.length === 0) yield `its type must have xs:${facet}, as in ours`;
    for (const other of others)
      if (!isStricter(other)) yield `xs:${facet} ${JSON.stringify(other)} is not as strict as ours`;
  }
}
