// An api whose way to Postgres breaks: the requests under way are told to try again, the process lives, and it serves
// again by itself.
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, serviceLimits } from '../../../db/pool/connection.ts';
import { testDatabase } from '../../harness/database.ts';
import { faultProxy } from '../../harness/fault-proxy.ts';
import { problemTexts } from '../../harness/problem-texts.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
const proxy = await faultProxy(database.url);
const db = connect(database.url, { applicationName: 'isthmus-test', maxConnections: 2 });
afterAll(() => db.destroy());

const quotesPath = '/quotes/SG/SGD/TH/THB/SGD/1000?finInstIdType=BICFI&finInstId=LOTUSGS0';

describe('an api process whose database connections are reset in the middle of a query', () => {
  let child: ChildProcess;
  let there: { url: string; token: string };
  beforeAll(async () => {
    const script = join(import.meta.dirname, '../http/api-process.ts');
    const started = spawn(process.execPath, [script, proxy.address], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child = started;
    there = await new Promise((resolve, reject) => {
      createInterface({ input: started.stdout }).once('line', (line) => {
        resolve(JSON.parse(line) as typeof there);
      });
      started.once('exit', () => {
        reject(new Error('the api process did not start'));
      });
    });
  });
  afterAll(async () => {
    if (child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.stdin?.end();
    await gone;
  });

  const ask = () =>
    fetch(`${there.url}${quotesPath}`, { headers: { authorization: `Bearer ${there.token}` } });
  const waiting = async () => {
    const { rows } = await sql`select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    return rows.length;
  };

  it('answers that request 503, lives, and answers the next one', async () => {
    expect((await ask()).status).toBe(200);
    const answer = await db.transaction().execute(async (trx) => {
      await sql`lock table rates in access exclusive mode`.execute(trx); // quotes read it
      const asked = ask();
      await expect.poll(waiting).toBe(1);
      proxy.reset();
      return asked;
    });
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ code: 'unavailable', detail: problemTexts.unavailable.told });
    expect((await ask()).status).toBe(200);
    expect(child.exitCode).toBeNull();
  });
});

describe('an api whose database host falls silent', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await startApi(proxy.address, {
      databaseLimits: { ...serviceLimits, connectMs: 500, waitMs: 800, answerMs: 800 },
      referenceLimits: { pingMs: 100, silenceMs: 300, retryMs: 100, staleMs: 1_000 },
    });
  });
  afterAll(() => api.close());

  const readiness = async () => (await api.get('/health/ready', null)).body;
  const within = (ms: number) => ({ timeout: ms, interval: 50 });

  it('is not ready, answers 503 from memory too, and serves again by itself within seconds (OBS-4)', async () => {
    const paths = [quotesPath, '/countries/MY', '/fees-and-amounts/SG/SGD/TH/THB/SGD/1000/25'];
    const statuses = async () => {
      const answers = await Promise.all(paths.map((path) => api.get(path)));
      return answers.map(({ status }) => status);
    };
    await expect.poll(statuses).toEqual([200, 200, 200]); // the first answers of a busy machine may miss these limits
    await expect.poll(readiness).toMatchObject({ status: 'up' });

    await proxy.blackHole();
    const silent = { status: 'down', checks: { database: 'down', reference: 'down' } };
    await expect.poll(readiness, within(5_000)).toEqual(silent);
    expect(await statuses()).toEqual([503, 503, 503]); // what is priced from old data may be wrong (REF-6)

    await proxy.heal();
    await expect.poll(statuses, within(6_000)).toEqual([200, 200, 200]);
    expect(await readiness()).toMatchObject({ status: 'up' });
  });
});
