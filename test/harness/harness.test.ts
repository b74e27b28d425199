// What every other test relies on: a seeded database of its own, the shared Temporal server, the bundled workflows.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withClient } from '../../cli/parts/postgres.ts';
import { testDatabase } from './database.ts';
import { testGateway } from './gateway.ts';
import { bestQuote, submit } from './payer.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { testTemporal, testWorkflowBundle } from './temporal.ts';
import { idleThreads } from './workflow-threads.ts';

const one = await testDatabase();
const other = await testDatabase();
const empty = await testDatabase('empty');

const count = (url: string, what: string) =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from ${what}`);
    return rows[0]?.count;
  });

describe('testDatabase', () => {
  it('gives a migrated and seeded database, apart from every other', async () => {
    expect(await count(one.url, 'countries')).toBe(10);
    await withClient(one.url, (client) => client.query('create table only_here ()'));
    await expect(count(other.url, 'only_here')).rejects.toThrow('does not exist');
    expect(await count(other.url, 'countries')).toBe(10);
  });

  it('gives an empty one where a test migrates itself', async () => {
    const tables = "information_schema.tables where table_schema = 'public'";
    expect(await count(empty.url, tables)).toBe(0);
  });
});

describe('testTemporal', () => {
  it('gives each file task queues that nobody else polls', async () => {
    const [first, second] = [await testTemporal(), await testTemporal()];
    expect(first.address).toBe(second.address);
    expect(first.taskQueue('payments')).toBe(first.taskQueue('payments'));
    expect(first.taskQueue('payments')).not.toBe(second.taskQueue('payments'));
  });

  it('gives the workflow code as one bundle', async () => {
    const { codePath } = await testWorkflowBundle();
    expect(readFileSync(codePath, 'utf8')).toContain('__TEMPORAL__');
  });
});

describe('testGateway', () => {
  it('gives a worker a thread alone, and the next one what an ended one leaves', async () => {
    const [one, other] = [await testGateway({ worker: false }), await testGateway({ worker: false })];
    const pay = async (gateway: typeof one) =>
      (await submit(gateway, instruction(await bestQuote(gateway)))).report?.status;
    for (const gateway of [one, other]) await gateway.startWorker();
    expect(await Promise.all([pay(one), pay(other)])).toEqual(['ACTC', 'ACTC']);
    for (const gateway of [one, other]) await gateway.stopWorker();
    const idle = idleThreads(); // those of the two among them
    expect(idle).toBeGreaterThanOrEqual(2);
    for (const gateway of [one, other]) await gateway.startWorker();
    expect(idleThreads()).toBe(idle - 2);
    expect(await pay(one)).toBe('ACTC');
    await other.stopWorker();
    await one.stopWorker();
    expect(idleThreads()).toBe(idle);
  });
});
