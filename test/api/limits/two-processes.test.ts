// Two API processes on one database: a change of reference data in one is served by the other within a second
// (REF-6).
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
let here: RunningApi;
let there: { url: string; token: string };
let child: ChildProcess;

beforeAll(async () => {
  here = await startApi(database.url);
  const script = join(import.meta.dirname, '../http/api-process.ts');
  const started = spawn(process.execPath, [script, database.url], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child = started;
  there = await new Promise((resolve, reject) => {
    createInterface({ input: started.stdout }).once('line', (line) => {
      resolve(JSON.parse(line) as typeof there);
    });
    started.once('exit', () => {
      reject(new Error('the other process did not start'));
    });
  });
});
afterAll(async () => {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.stdin?.end();
  await gone;
  await here.close();
});

interface Formula {
  readonly percentageFee: number;
}

async function askThere<Body>(path: string): Promise<Body> {
  const response = await fetch(`${there.url}${path}`, {
    headers: { authorization: `Bearer ${there.token}` },
  });
  return (await response.json()) as Body;
}

describe('two processes', () => {
  it('both serve a changed formula within a second, in the formula and in the figures (REF-6)', async () => {
    const formula = '/fee-formulas/creditor-agent-fee/TH/THB';
    const figures = '/fees-and-amounts/SG/SGD/TH/THB/SGD/1000/25';
    expect(await askThere<Formula>(formula)).toMatchObject({ percentageFee: 0.1 });
    expect(await askThere(figures)).toMatchObject({ creditorAgent: { creditorAccountAmount: 24900 } });
    await here.db
      .updateTable('creditor_agent_fee_formulas')
      .set({ percentage_fee: '0.2' })
      .where('country_code', '=', 'TH')
      .execute();
    const second = { timeout: 10_000, interval: 20 };
    const there = async () => (await askThere<Formula>(formula)).percentageFee;
    const ours = async () => (await here.get<Formula>(formula)).body.percentageFee;
    await Promise.all([expect.poll(there, second).toBe(0.2), expect.poll(ours, second).toBe(0.2)]);
    expect(await askThere(figures)).toMatchObject({ creditorAgent: { creditorAccountAmount: 24875 } });
  });

  it('catch up after the listening connection was cut', async () => {
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'isthmus-listener'`.execute(here.db);
    await here.db.updateTable('countries').set({ name: 'Malaya' }).where('country_code', '=', 'MY').execute();
    const name = async () => (await askThere<{ name: string }>('/countries/MY')).name;
    await expect.poll(name, { timeout: 3_000, interval: 50 }).toBe('Malaya');
    await here.db
      .updateTable('countries')
      .set({ name: 'Malaysia' })
      .where('country_code', '=', 'MY')
      .execute();
    await expect.poll(name, { timeout: 3_000, interval: 50 }).toBe('Malaysia');
  });
});
