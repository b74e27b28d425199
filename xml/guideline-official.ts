/**
 * Whether a usage guideline is a restriction of the official schema, as far as elements, their order and number go.
 * Values are judged by the official schema itself, message by message, where it is given.
 */
import { particleNamed, type SchemaModel } from './schema-model.ts';

/** @returns one sentence per fault */
export function findOutside(own: SchemaModel, official: SchemaModel): readonly string[] {
  const faults: string[] = [];
  const seen = new Set<string>();
  const compare = (ownType: string, officialType: string, path: string) => {
    const pair = `${ownType} ${officialType}`;
    const [mine, theirs] = [own.complexTypes.get(ownType), official.complexTypes.get(officialType)];
    if (mine === undefined || theirs === undefined || seen.has(pair)) return;
    seen.add(pair);
    const order = theirs.options.flat().map(({ name }) => name);
    for (const option of mine.options) {
      let last = -1;
      for (const particle of option) {
        const where = `${path}/${particle.name}`;
        const found = particleNamed(theirs, particle.name);
        if (found === undefined) {
          faults.push(`${where}: ISO 20022 has no such element there`);
          continue;
        }
        if (particle.max > found.max) faults.push(`${where}: ISO 20022 has at most ${found.max}`);
        const index = order.indexOf(particle.name);
        if (theirs.kind === 'sequence' && index < last) faults.push(`${where}: ISO 20022 has it before`);
        last = index;
        compare(particle.type, found.type, where);
      }
    }
    if (theirs.kind !== 'sequence') return;
    for (const needed of theirs.options.flat().filter(({ min }) => min > 0))
      if (
        !mine.options.every((option) =>
          option.some(({ name, min }) => name === needed.name && min >= needed.min),
        )
      )
        faults.push(`${path}/${needed.name}: ISO 20022 demands it`);
  };
  compare('Document', 'Document', '');
  return faults;
}
