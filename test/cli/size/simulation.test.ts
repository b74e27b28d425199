// The simulation against the closed forms of queueing theory. The seed is fixed, so the results never change.
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../cli/size/random.ts';
import { createSimulation, type Process } from '../../../cli/size/simulation.ts';

const serviceMs = 10;
const most = 60_000; // customers; the standard error of the mean wait is then below 5 %
const tolerance = 0.2;

interface Queue {
  readonly servers: number;
  /** Mean number of busy servers: arrival rate times mean service time. */
  readonly load: number;
  readonly service?: 'exponential' | 'constant';
  readonly seed?: number;
  readonly customers?: number;
}

function run({ servers, load, service = 'exponential', seed = 1, customers = most }: Queue) {
  const simulation = createSimulation();
  const random = createRandom(seed);
  const station = simulation.pool(servers);
  const everyone = simulation.pool(Infinity);
  let waitedMs = 0;
  let insideMs = 0;
  function* customer(): Process {
    const came = simulation.now();
    yield everyone;
    yield station;
    waitedMs += simulation.now() - came;
    yield service === 'constant' ? serviceMs : random.exponential(serviceMs);
    station.release();
    everyone.release();
    insideMs += simulation.now() - came;
  }
  function* source(): Process {
    for (let n = 0; n < customers; n += 1) {
      yield random.exponential(serviceMs / load);
      simulation.start(customer());
    }
  }
  simulation.start(source());
  simulation.run();
  return {
    meanWaitMs: waitedMs / customers,
    meanInsideMs: insideMs / customers,
    perMs: customers / simulation.now(),
    meanInside: everyone.meanBusy(),
    meanBusy: station.meanBusy(),
  };
}

/** Mean wait of M/M/c, by Erlang's C formula. */
function erlangWaitMs(servers: number, load: number): number {
  let term = 1; // load^k / k!
  let sum = 0;
  for (let k = 0; k < servers; k += 1) {
    sum += term;
    term *= load / (k + 1);
  }
  const waiting = term * (servers / (servers - load));
  return ((waiting / (sum + waiting)) * serviceMs) / (servers - load);
}

const within = (expected: number) => ({
  least: expected * (1 - tolerance),
  most: expected * (1 + tolerance),
});

describe('the simulation of a queue', () => {
  it('knows the closed form of one server: load / (1 - load) service times', () => {
    expect(erlangWaitMs(1, 0.6)).toBeCloseTo(15, 9);
  });

  it.each([
    [1, 0.6],
    [3, 1.8],
    [2, 1.2],
  ])('waits with %i servers and load %f as Erlang says', (servers, load) => {
    const { least, most } = within(erlangWaitMs(servers, load));
    const { meanWaitMs } = run({ servers, load });
    expect(meanWaitMs).toBeGreaterThan(least);
    expect(meanWaitMs).toBeLessThan(most);
  });

  it('waits half as long where every service takes equally long (Pollaczek and Khinchine)', () => {
    const { least, most } = within(erlangWaitMs(1, 0.6) / 2);
    const { meanWaitMs } = run({ servers: 1, load: 0.6, service: 'constant' });
    expect(meanWaitMs).toBeGreaterThan(least);
    expect(meanWaitMs).toBeLessThan(most);
  });

  it("obeys Little's law, and keeps as many servers busy as the load says", () => {
    const { meanInside, perMs, meanInsideMs, meanBusy } = run({ servers: 3, load: 1.8 });
    expect(meanInside / (perMs * meanInsideMs)).toBeCloseTo(1, 6);
    expect(Math.abs(meanBusy / 1.8 - 1)).toBeLessThan(0.03);
  });

  it('gives the same result for the same seed, and another one for another seed', () => {
    const queue = { servers: 1, load: 0.6, customers: 1_000 };
    expect(run(queue)).toEqual(run(queue));
    expect(run({ ...queue, seed: 2 }).meanWaitMs).not.toBe(run(queue).meanWaitMs);
  });
});

describe('random numbers', () => {
  it('have the asked median and 99th percentile', () => {
    const random = createRandom(7);
    const times = Array.from({ length: 20_000 }, () => random.logNormal(300, 2_000)).sort((a, b) => a - b);
    expect(Math.abs((times[10_000] ?? 0) / 300 - 1)).toBeLessThan(0.05);
    expect(Math.abs((times[19_800] ?? 0) / 2_000 - 1)).toBeLessThan(0.15);
    expect(random.logNormal(300, 300)).toBe(300);
  });
});
