/**
 * Compares an element's children with its type, and finds all unknown, misplaced, surplus and missing
 * children. An engine would stop at the first fault.
 */
import { foreignName, type XmlElement } from '../core/iso20022/tree.ts';
import type { ComplexType, Particle } from './schema-model.ts';

export interface ChildFault {
  readonly kind: 'foreign' | 'unknown' | 'misplaced' | 'surplus' | 'excluded' | 'missing';
  /**
   * Index of the faulty child. For a missing element, the index of the child before which it belongs, or the
   * number of children.
   */
  readonly index: number;
  /** The schema's particle with this name; undefined for unknown names. */
  readonly particle?: Particle;
}

/**
 * The indexes of a longest subsequence of children that are in schema order. All other children are
 * misplaced.
 */
function inOrder(places: readonly (number | undefined)[]): ReadonlySet<number> {
  // ends[n] is the last child of the subsequence of length n + 1 that ends at the lowest place.
  const ends: number[] = [];
  const before = new Map<number, number | undefined>();
  const placeAt = (index: number | undefined) => places[index ?? -1] ?? -1;
  for (const [index, place] of places.entries()) {
    if (place === undefined) continue;
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (placeAt(ends[middle]) <= place) low = middle + 1;
      else high = middle;
    }
    before.set(index, ends[low - 1]);
    ends[low] = index;
  }
  const run = new Set<number>();
  for (let index = ends.at(-1); index !== undefined; index = before.get(index)) run.add(index);
  return run;
}

function matchSequence(
  particles: readonly Particle[],
  children: readonly XmlElement[],
): readonly ChildFault[] {
  const order = new Map(particles.map(({ name }, index) => [name, index]));
  const places = children.map(({ name }) => order.get(name));
  const run = inOrder(places);
  const counts = new Map<string, number>();
  for (const { name } of children) counts.set(name, (counts.get(name) ?? 0) + 1);
  const seen = new Map<string, number>();
  const faults: ChildFault[] = [];
  let reached = 0;
  const tellMissing = (upTo: number, index: number) => {
    for (const particle of particles.slice(reached, upTo)) {
      if ((counts.get(particle.name) ?? 0) < particle.min) faults.push({ kind: 'missing', index, particle });
    }
    reached = Math.max(reached, upTo);
  };
  for (const [index, { name }] of children.entries()) {
    const place = places[index];
    const particle = place === undefined ? undefined : particles[place];
    if (place === undefined || particle === undefined) {
      faults.push({ kind: name === foreignName ? 'foreign' : 'unknown', index });
      continue;
    }
    if (run.has(index)) tellMissing(place, index);
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    if (count > particle.max) faults.push({ kind: 'surplus', index, particle });
    else if (!run.has(index)) faults.push({ kind: 'misplaced', index, particle });
  }
  tellMissing(particles.length, children.length);
  return faults;
}

function matchChoice(particles: readonly Particle[], children: readonly XmlElement[]): readonly ChildFault[] {
  const faults: ChildFault[] = [];
  let chosen: Particle | undefined;
  for (const [index, { name }] of children.entries()) {
    const particle = particles.find((one) => one.name === name);
    if (particle === undefined) faults.push({ kind: name === foreignName ? 'foreign' : 'unknown', index });
    else if (chosen !== undefined) faults.push({ kind: 'excluded', index, particle });
    else chosen = particle;
  }
  const [first] = particles;
  if (chosen === undefined && first !== undefined) {
    faults.push({ kind: 'missing', index: children.length, particle: first });
  }
  return faults;
}

/** The faults among the children of an element of this type, in document order. */
export function matchChildren(type: ComplexType, children: readonly XmlElement[]): readonly ChildFault[] {
  if (type.kind === 'choice') return matchChoice(type.options.flat(), children);
  let best: readonly ChildFault[] | undefined;
  for (const option of type.options) {
    const faults = matchSequence(option, children);
    if (best === undefined || faults.length < best.length) best = faults;
  }
  return best ?? [];
}
