// `isthmus size`: the model of a payment, what a rate needs, and what is printed.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UsageError, UserError } from '../../../cli/errors.ts';
import { size, type SizeOptions } from '../../../cli/size/command.ts';
import { shippedFigures, valuesOf } from '../../../cli/size/figures.ts';
import { extraConnections, limitsFor } from '../../../cli/size/limits.ts';
import {
  connectionsOfProcess,
  simulatePayments,
  stagesOf,
  type Deployment,
  type Kind,
  type Stage,
} from '../../../cli/size/payment-model.ts';
import { deploymentFor, type Sizing } from '../../../cli/size/size.ts';
import { servicePoolSize } from '../../../db/pool/connection.ts';
import { openTerminal } from '../../../cli/terminal.ts';
import { readDocument } from '../../docs/documents.ts';
import { samples } from '../../harness/only-in-all.ts';
import { commandFolder } from '../command.ts';

const values = valuesOf(shippedFigures);
const scratch = mkdtempSync(join(tmpdir(), 'isthmus-size-'));
const place = await commandFolder();
afterAll(() => {
  rmSync(scratch, { recursive: true });
  place.remove();
});

function printed(options: SizeOptions): string {
  let text = '';
  size(openTerminal({ write: (more) => (text += more), colours: false, columns: 200 }), options);
  return text;
}
const sized = (options: SizeOptions) => JSON.parse(printed({ ...options, json: true })) as Sizing;

/** In the order of the table in docs/operations/sizing.md. */
function countsFor(perSecond: number): readonly number[] {
  const one = deploymentFor(perSecond, values);
  const { apis, workers, shards, postgresCores, temporalCores, temporalDatabaseCores } = one;
  return [apis, workers, shards, postgresCores, temporalCores, temporalDatabaseCores];
}

describe('the model of a payment', () => {
  const simulate = (perSecond: number, payments = 900) =>
    simulatePayments({
      values,
      deployment: deploymentFor(50, values),
      load: { perSecond },
      payments,
      seed: 1,
    });

  it('counts as much as the figures say: the mean of a payment at once and a later one', () => {
    const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
    const counted = (kind: Kind) => {
      const stages: readonly Stage[] = stagesOf[kind];
      const of = (count: keyof Stage) => sum(stages.map((stage) => stage[count]));
      return { transitions: of('transitions'), statements: of('statements'), commits: of('commits') };
    };
    expect(counted('atOnce')).toEqual({ transitions: 6, statements: 16, commits: 10 });
    expect(counted('later')).toEqual({ transitions: 10, statements: 16, commits: 9 });
    expect(values).toMatchObject({ transitions: (6 + 10) / 2, commits: (10 + 9) / 2 });
  });

  it('submits on an idle system about as fast as was measured', () => {
    const { submitMs } = simulate(0.5);
    expect(Math.abs(submitMs.p50 / values.idleSubmitMs - 1)).toBeLessThan(0.2);
  });

  it('is slower the more is paid on the same machines', () => {
    const [idle, usual, busy] = [0.5, 60, 90].map((perSecond) => simulate(perSecond).submitMs.p50);
    expect(usual).toBeGreaterThan(idle ?? NaN);
    expect(busy).toBeGreaterThan(usual ?? NaN);
  });

  it('waits for the destination: the callback takes longer than its answer', () => {
    const { finalMs, submitMs } = simulate(10);
    expect(finalMs.p50).toBeGreaterThan(submitMs.p50 + values.destinationMs / 2);
  });

  /**
   * A run of `npm run bench -- size`: all parts on two cores, Temporal on SQLite, one source. Half of the answers came
   * at once, half of the reports 300 ms later. The CPU is that of 12 clients.
   */
  const run = {
    cpuMs: { apiCpuMs: 3.9, workerCpuMs: 20.3, temporalCpuMs: 24.8, postgresCpuMs: 8.3 },
    ...{ idleSubmitMs: 28.3, flushMs: 0.09, partiesCpuMs: 3.3, othersCpuMs: 1.8 },
    byClients: [
      { clients: 4, perSecond: 18.9, atOnceMs: 42, laterMs: 370.4 },
      { clients: 16, perSecond: 30.8, atOnceMs: 307.9, laterMs: 722.3 },
      { clients: 24, perSecond: 30.4, atOnceMs: 583.4, laterMs: 990.7 },
    ],
  };
  const paidBy = (clients: number, also: Partial<Deployment> = {}) => {
    const destination = { systems: 1, destinationMs: 300, destinationP99Ms: 300, deliveryMs: 2 };
    const { cpuMs, idleSubmitMs, flushMs, partiesCpuMs, othersCpuMs } = run;
    const parts = { apis: 1, workers: 1, shards: 1, temporalFlushMs: 0, machineCores: 2 };
    return simulatePayments({
      values: { ...values, ...cpuMs, ...destination, idleSubmitMs, flushMs, temporalDatabaseShare: 0.7 },
      deployment: { ...deploymentFor(50, values), ...parts, partiesCpuMs, othersCpuMs, ...also },
      load: { clients },
      payments: 3_000,
      seed: 1,
      atOnceMs: { median: 2, p99: 2 },
    });
  };

  it.each(run.byClients.slice(0, samples(1, 3)))(
    'pays as fast as $clients clients, and takes as long',
    ({ clients, ...measured }) => {
      const { perSecond, finalOfMs } = paidBy(clients);
      const apart = (model: number, real: number) => Math.abs(model / real - 1);
      expect(apart(perSecond, measured.perSecond)).toBeLessThan(0.15);
      expect(apart(finalOfMs.atOnce.p50, measured.atOnceMs)).toBeLessThan(0.15);
      expect(apart(finalOfMs.later.p50, measured.laterMs)).toBeLessThan(0.15);
    },
  );

  it('has no time for others on the same cores', () => {
    const alone = paidBy(16).perSecond;
    const beside = paidBy(16, { othersCpuMs: 70 }).perSecond; // as much as a payment itself
    expect(beside).toBeLessThan(0.6 * alone);
    expect(beside).toBeGreaterThan(0.4 * alone);
  });

  it('pays no faster with more clients than the shared cores allow', () => {
    const cpuMs = values.apiCpuMs + values.workerCpuMs + values.temporalCpuMs + values.postgresCpuMs;
    const cores = 2;
    const own = { ...deploymentFor(50, values), apis: 1, workers: 1, machineCores: cores };
    const paid = (clients: number) =>
      simulatePayments({ values, deployment: own, load: { clients }, payments: 900, seed: 1 }).perSecond;
    const most = (cores * 1_000) / cpuMs; // 28 a second
    const byMany = paid(32);
    expect(byMany).toBeLessThan(1.1 * most);
    expect(byMany).toBeGreaterThan(0.7 * most);
    expect(paid(1)).toBeLessThan(byMany / 4);
  });
});

describe('a size', () => {
  it('never shrinks when the rate grows', () => {
    const sizes = [1, 10, 100, 1_000, 10_000].map(countsFor);
    for (const [n, counts] of sizes.entries())
      for (const [part, count] of counts.entries())
        expect(count).toBeGreaterThanOrEqual(sizes[n - 1]?.[part] ?? 0);
  });

  it('follows from the figures: 100 a second keep 0.72 cores of Postgres busy', () => {
    const { parts, shards, disk, connections } = sized({ rate: '100' });
    const postgres = parts.find(({ part }) => part === 'Isthmus Postgres');
    expect(postgres?.busyCores).toBeCloseTo(0.72, 9);
    expect(postgres?.cores).toBe(2);
    expect(shards).toBe(16); // 100 payments of 8 transitions, 50 a second of each shard: 16
    // 2 apis and 2 workers; in an upgrade one more api and two more workers; the jobs
    expect(connections.isthmus).toBe((2 + 1 + 2 * 2) * 22 + 5);
    expect(disk[0]?.bytesPerDay).toBe(100 * 86_400 * 8_800);
  });

  it('counts with the connections that a process opens', () => {
    expect(connectionsOfProcess).toBe(servicePoolSize);
    const most = `up to ${connectionsOfProcess + extraConnections} per process`;
    expect(readDocument('docs/operations/postgres-and-temporal.md')).toContain(most);
  });

  it.each([100, 1_000, 10_000])('of %i a second is as docs/operations/sizing.md says', (perSecond) => {
    const cells = [perSecond, ...countsFor(perSecond)];
    const row = `| ${cells.map((cell) => cell.toLocaleString('en-US')).join(' | ')} |`;
    expect(readDocument('docs/operations/sizing.md').replaceAll(/ +/g, ' ')).toContain(row);
  });

  it('names the limits in the order in which they are reached', () => {
    const limits = limitsFor({ values, hosts: 1 });
    const rates = limits.map(({ perSecond }) => perSecond);
    expect(rates).toEqual(rates.toSorted((one, other) => one - other));
    expect(new Set(limits.map(({ name }) => name)).size).toBe(limits.length);
    const of = (wanted: string) => limits.find(({ name }) => name === wanted)?.perSecond;
    expect(of('matching.rps')).toBeCloseTo(1_200 / 6, 9);
    const keptBytes = 8_800 * 13 * 30.4 + 7_300 * 3_652 + 1_100 * 62;
    expect(of("disk of Isthmus' Postgres")).toBeCloseTo(64e12 / keptBytes / 86_400, 6); // 25 a second, all day
  });
});

describe('isthmus size', () => {
  it('prints what is needed, the limits with their mends, and every assumption', () => {
    const text = printed({ rate: '250' });
    expect(text).toContain("share of Temporal's CPU that its Postgres takes: 42 % (");
    for (const { what, source } of Object.values(shippedFigures)) {
      expect(text).toContain(what);
      expect(text).toContain(source);
    }
    expect(text).toMatch(/^250 payments per second$/m);
    expect(text).toMatch(/^Reached, first: disk of Isthmus' Postgres$/m);
    expect(text).toMatch(/^ {2}Mend: set RECORDS_KEPT_YEARS /m);
    expect(text).toMatch(/^message_bodies +month +15 +5,892\.5$/m); // 250 * 86,400 * 31 * 8,800 bytes
  });

  it('counts the disk of a day by the payments of the day, not by the busiest second', () => {
    const { disk, partitions, parts } = sized({ rate: '250', aDay: '1000000' });
    expect(disk[0]?.bytesPerDay).toBeCloseTo(1_000_000 * 8_800, 0);
    expect(partitions[1]?.bytes).toBeCloseTo(1_000_000 * 31 * 8_800, 0);
    expect(parts).toEqual(sized({ rate: '250' }).parts);
    expect(printed({ rate: '250', aDay: '1000000' })).not.toContain(
      "Reached, first: disk of Isthmus' Postgres",
    );
    expect(() => printed({ rate: '1', aDay: '86401' })).toThrow(UsageError); // more than the rate makes
  });

  it('says so when no limit is reached', () => {
    const text = printed({ rate: '1' });
    expect(text).toContain('No limit is reached. The next one:');
    expect(text).toMatch(/^This release can do it, by the model\.$/m);
  });

  it('says first whether this release can do it, and what of it takes new code', () => {
    const limits = limitsFor({ values, hosts: 2 }).filter(({ perSecond }) => perSecond <= 250);
    expect(limits.map(({ name, takes }) => [name, takes])).toEqual([
      ["disk of Isthmus' Postgres", 'setting'],
      ['the hourly seal of the record', 'code'],
    ]);
    const text = printed({ rate: '250' });
    expect(text.split('\n')[1]).toBe(
      'This release cannot do it: one limit needs new code, the first at 208 a second. It reaches one limit that a setting or a server mends.',
    );
    expect(text).toMatch(/^ {2}Mend, new code: seal in pieces/m);
  });

  it('uses the service times of a benchmark, and says whose they are', () => {
    const measured = join(scratch, 'measured.json');
    writeFileSync(measured, JSON.stringify({ postgresCpuMs: { value: 30, source: 'our machine' } }));
    const { parts, figures } = sized({ rate: '10', measured });
    expect(parts.at(-1)?.busyCores).toBeCloseTo(0.3, 9);
    expect(figures.postgresCpuMs).toMatchObject({ source: 'our machine', unit: 'ms a payment' });
    expect(figures.apiCpuMs).toEqual(shippedFigures.apiCpuMs);
  });

  it.each([
    ['no JSON', 'nothing'],
    ['a name that there is not', '{"discoCpuMs": {"value": 1, "source": "x"}}'],
    ['a value that is none', '{"apiCpuMs": {"value": -1, "source": "x"}}'],
  ])('refuses a file with %s, and says how to make one', (_, text) => {
    const measured = join(scratch, 'wrong.json');
    writeFileSync(measured, text);
    expect(() => printed({ rate: '1', measured })).toThrow(UserError);
    expect(() => printed({ rate: '1', measured })).toThrow('npm run bench -- payments --measure-size');
  });

  it.each(['0', '1.5', 'many', '20001'])('refuses the rate %s', (rate) => {
    expect(() => printed({ rate })).toThrow(UsageError);
  });

  it('is a command of the program, which says what is missing', async () => {
    expect(await place.finish('size', '--rate', '1')).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^1 payments per second\n/) as string,
    });
    expect(await place.finish('size')).toMatchObject({
      code: 2,
      output: expect.stringContaining("required option '--rate <number>' not specified") as string,
    });
  });
});
