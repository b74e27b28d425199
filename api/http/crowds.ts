// Who has how many connections, and which of them gives way to a new one (SEC-7): one of the largest crowd in which any does;
// of crowds of one size, what is the least loss. Who is asked in vain is not asked again before something has changed, so
// that a flood of connections that are refused costs no search each.

/** What gives way, the first of them first. */
const ways = ['idle', 'arriving', 'unread'] as const;
export type Way = (typeof ways)[number];

interface Crowd<One> {
  /** The oldest first. */
  readonly members: Set<One>;
  /** Of `ways`, the first in which a member may give way: those before it were looked for in vain. */
  way: number;
}

export interface Crowds<One> {
  sizeOf(address: string): number;
  join(address: string, one: One): void;
  leave(address: string, one: One): void;
  /** From now on one of that address may give way so. */
  mayGive(address: string, way: Way): void;
  /**
   * The one that gives way.
   * @param address of whom it has to be; undefined: of whoever has the most
   */
  toGive(address?: string): One | undefined;
}

export function createCrowds<One>(gives: (one: One, way: Way) => boolean): Crowds<One> {
  const byAddress = new Map<string, Crowd<One>>();
  /** By what {@link placeOf} says: the greatest gives way first. Crowds in which nobody gives way have no place. */
  const byPlace = new Map<number, Set<Crowd<One>>>();

  function change(crowd: Crowd<One>, how: () => void): void {
    const before = placeOf(crowd);
    byPlace.get(before)?.delete(crowd);
    if (byPlace.get(before)?.size === 0) byPlace.delete(before);
    how();
    if (crowd.members.size === 0 || crowd.way === ways.length) return;
    const place = placeOf(crowd);
    byPlace.set(place, (byPlace.get(place) ?? new Set()).add(crowd));
  }

  const setWay = (crowd: Crowd<One>, way: number) =>
    change(crowd, () => {
      crowd.way = way;
    });

  /** The oldest that gives way as its crowd may; without one, its crowd is asked for less from then on. */
  function firstOf(crowd: Crowd<One>): One | undefined {
    const way = ways[crowd.way];
    if (way === undefined) return undefined;
    for (const one of crowd.members) if (gives(one, way)) return one;
    setWay(crowd, crowd.way + 1);
    return undefined;
  }

  return {
    sizeOf: (address) => byAddress.get(address)?.members.size ?? 0,
    join(address, one) {
      const crowd = byAddress.get(address) ?? { members: new Set(), way: 0 };
      byAddress.set(address, crowd);
      change(crowd, () => {
        crowd.members.add(one);
        crowd.way = 0;
      });
    },
    leave(address, one) {
      const crowd = byAddress.get(address);
      if (crowd === undefined) return;
      change(crowd, () => crowd.members.delete(one));
      if (crowd.members.size === 0) byAddress.delete(address);
    },
    mayGive(address, way) {
      const crowd = byAddress.get(address);
      const at = ways.indexOf(way);
      if (crowd !== undefined && at < crowd.way) setWay(crowd, at);
    },
    toGive(address) {
      if (address !== undefined) return firstIn(byAddress.get(address), firstOf);
      while (byPlace.size > 0) {
        const largest = Math.max(...byPlace.keys()); // few: crowds of many sizes would be more connections than there are
        for (const crowd of byPlace.get(largest) ?? []) {
          const one = firstOf(crowd);
          if (one !== undefined) return one;
        }
      }
      return undefined;
    },
  };
}

/** By size, then by way. */
const placeOf = ({ members, way }: Crowd<unknown>) => members.size * (ways.length + 1) + ways.length - way;

function firstIn<One>(
  crowd: Crowd<One> | undefined,
  firstOf: (crowd: Crowd<One>) => One | undefined,
): One | undefined {
  while (crowd !== undefined && crowd.way < ways.length) {
    const one = firstOf(crowd);
    if (one !== undefined) return one;
  }
  return undefined;
}
