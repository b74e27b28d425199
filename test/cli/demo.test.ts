// The demo on real servers: from an empty folder, payments against a running demo, a killed worker, a reader's own
// destination and FX provider, and Ctrl-C.
import { createServer, type Server } from 'node:http';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tail } from '../../cli/parts/child.ts';
import { postgresFolders } from '../../cli/parts/postgres-home.ts';
import { withClient } from '../../cli/parts/postgres.ts';
import { readJournal } from '../../sandbox/journal-file.ts';
import { validTree } from '../xml/fixtures.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { isAlive } from '../harness/is-alive.ts';
import { project } from './bare-project.ts';
import { commandFolder, type RunningCommand } from './command.ts';

const place = await commandFolder();
const { folder, run, finish, runFile } = place;

/** A user's own party: accepts and keeps every request. */
async function openParty(status: number) {
  const received: { readonly path: string; readonly body: string }[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ path: request.url ?? '', body: Buffer.concat(chunks).toString('utf8') });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return { received, server, url: `http://127.0.0.1:${port}` };
}

/** Polls until it fits; the test's own timeout ends it. */
async function until(fits: () => boolean): Promise<void> {
  while (!fits()) await new Promise((resolve) => setTimeout(resolve, 25));
}

const uetrIn = (output: string) => /UETR ([0-9a-f-]{36})/.exec(output)?.[1] ?? '';

/** Occupies the sandbox's default ports as soon as they are free. @returns frees them */
function holdDefaultPorts(): () => void {
  let isHeld = true;
  const servers = [9101, 9102, 9103].map((port) => {
    const server = createServer();
    const listen = () => (isHeld ? server.listen(port, '127.0.0.1') : server);
    server.on('error', () => setTimeout(listen, 20));
    return listen();
  });
  return () => {
    isHeld = false;
    for (const server of servers) server.close();
  };
}

const partiesIn = (output: string) =>
  ['Source operators', 'Destinations', 'FX providers'].map(
    (name) => new RegExp(`${name} +(http://127\\.0\\.0\\.1:\\d+)/`).exec(output)?.[1],
  );
let firstParties: readonly (string | undefined)[] = [];

describe('npm run demo -- --once, from an empty folder', () => {
  it('plays the payment to the last figure and ends with 0', async () => {
    const letGo = holdDefaultPorts();
    const demo = place.runIn(project, {}, 'demo', '--once');
    const code = await demo.ended;
    const output = demo.output();
    letGo();
    expect(code, output).toBe(0);
    firstParties = partiesIn(output);
    expect(firstParties).not.toContain('http://127.0.0.1:9101');
    for (const line of [
      /✓ Postgres 18 on 127\.0\.0\.1:\d+/,
      /✓ Temporal on 127\.0\.0\.1:\d+/,
      /1 {2}MERISGS0 +25 +1,000 +25,000 +100 +24,900 +1\.50 SGD/,
      /SGDFAST → Isthmus +pacs\.008 /,
      /Isthmus → SGDFAST +pacs\.002 {2}ACTC {2}in the HTTP answer/,
      /Isthmus → IPSO-TH +pacs\.008 +25,000 THB at 25, creditor agent fee 100 THB; answered HTTP 202/,
      /IPSO-TH +ledger +moves 25,000 THB, credits 24,900 THB/,
      /IPSO-TH → Isthmus +pacs\.002 {2}ACCC {2}answered HTTP 200/,
      /Isthmus → IPSO-TH +pacs\.002 {2}ACCC {2}confirmation/,
      /Isthmus → SGDFAST +pacs\.002 {2}ACCC {2}callback: the final status; answered HTTP 200/,
      /Isthmus → MERISGS0 +fxtr\.017 +LOTUSGS0 sells 1,000 SGD for 25,000 THB at 25; answered HTTP 200/,
      /✓ Stopped/,
    ]) {
      expect(output).toMatch(line);
    }
    expect(output).not.toContain('\u001b['); // no terminal, no colours
    const elapsed = [...output.matchAll(/^ +\+(\d+) ms/gm)].map(([, ms]) => Number(ms));
    expect(elapsed).toEqual(elapsed.toSorted((one, other) => one - other));
    expect(existsSync(join(folder, 'run.json'))).toBe(false);

    const messages = readJournal(join(folder, 'journal')).filter((entry) => entry.bytes !== undefined);
    expect(messages.map(({ kind }) => kind).sort()).toEqual([
      'fxtr017',
      'pacs002',
      'pacs002',
      'pacs002',
      'pacs008',
    ]);
    for (const { kind, bytes = '' } of messages) {
      if (kind !== 'ledger' && kind !== 'unknown') await validTree(kind, bytes);
    }
  });
});

describe('npm start, on the same folder', () => {
  let started: RunningCommand;
  let ownDestination: Awaited<ReturnType<typeof openParty>>;
  let ownFxp: Awaited<ReturnType<typeof openParty>>;

  beforeAll(async () => {
    ownDestination = await openParty(202);
    ownFxp = await openParty(200);
    started = run('start', '--destination', `MY=${ownDestination.url}`, '--fxp', `ZENIHKS0=${ownFxp.url}`);
    await started.says('Isthmus runs until Ctrl-C.');
  });

  it('prints every address', async () => {
    const { apiUrl, temporalUiUrl, sandbox, journalDirectory } = runFile();
    for (const address of [apiUrl, `${apiUrl}/reference`, temporalUiUrl, ...Object.values(sandbox)]) {
      expect(started.output()).toContain(address);
    }
    expect(started.output()).toContain(journalDirectory);
    expect((await fetch(`${apiUrl}/reference`)).status).toBe(200);
    expect((await fetch(temporalUiUrl ?? '')).status).toBe(200);
    expect(started.output()).toContain(`yours, IPSO-MY: ${ownDestination.url}/iso20022/pacs008`);
  });

  it('api and worker are connected as their own database roles, and as nobody else (SEC-6)', async () => {
    const { rows } = await withClient(runFile().databaseUrl, (client) =>
      client.query<{ usename: string }>(
        `select distinct usename from pg_stat_activity
         where application_name like 'isthmus-%' and datname = current_database() order by 1`,
      ),
    );
    expect(rows.map(({ usename }) => usename)).toEqual(['isthmus_api', 'isthmus_worker']);
  });

  it('a second one on the folder is refused with what to do, and takes nothing from the first', async () => {
    const dist = join(folder, 'image', 'dist');
    const programs = () => readdirSync(dist).map((name) => [name, statSync(join(dist, name)).ino]);
    const before = programs();
    expect(before.map(([name]) => name)).toContain('worker.js'); // the supervisor restarts it from here
    const { code, output } = await finish('start');
    expect(code).toBe(1);
    expect(output).toMatch(/already runs Isthmus on .*Stop it where it runs/);
    expect(programs()).toEqual(before);
  });

  it.each([
    [`...${endingIn.creditedAtOnce}`, 'ACCC', 0, /Credited: ACCC/],
    [`...${endingIn.rejected}`, 'RJCT', 0, /Rejected, no money moved: RJCT AC04/],
    [`...${endingIn.blocked}`, 'BLCK', 0, /Blocked, neither credited nor returned: BLCK/],
  ])('npm run pay: account %s ends %s', async (account, status, expected, said) => {
    const { code, output } = await finish('pay', '--to', 'TH', '--amount', '1000', '--account', account);
    expect(code, output).toBe(expected);
    expect(output).toMatch(said);
    const callbacks = readJournal(runFile().journalDirectory, 'source/SGDFAST').filter(
      (entry) => entry.uetr === uetrIn(output),
    );
    expect(callbacks.map((entry) => entry.status)).toEqual([status]);
  });

  it('npm run pay: an amount above the maximum is not paid before somebody has agreed to less (QUO-4)', async () => {
    const { code, output } = await finish('pay', '--to', 'TH', '--amount', '250000');
    expect(code, output).toBe(1);
    expect(output).toContain(
      'Nothing was paid. Give an --amount that is allowed, or add --capped to pay 79,681.60 SGD.',
    );
    expect(output).not.toContain('pacs.008');
  });

  it('npm run pay: Ctrl-C says that the payment goes on, and how to look at it', async () => {
    const paying = run('pay', '--to', 'TH', '--amount', '1000', '--account', `...${endingIn.silent}`);
    await paying.says('answered HTTP 202');
    paying.child.kill('SIGINT');
    expect(await paying.ended).toBe(130);
    expect(paying.output()).toContain(
      'The payment continues by itself. Do not pay again: that would be a second payment.',
    );
    expect(paying.output()).toContain(`npm run ops -- show ${uetrIn(paying.output())}`);
  });

  it('npm run pay: a destination that stays silent ends with 3 and says where to look', async () => {
    const options = ['--to', 'TH', '--amount', '1000', '--account', `...${endingIn.silent}`, '--wait', '2'];
    const { code, output } = await finish('pay', ...options);
    expect(code, output).toBe(3);
    expect(output).toMatch(/No final status in time[^]*workflows\/pacs008%2F/);
  });

  it('a destination of one’s own gets the pacs.008 at its address, an FX provider its fxtr.017', async () => {
    const my = await finish('pay', '--to', 'MY', '--amount', '250', '--wait', '2'); // nobody will answer it
    expect(my.code, my.output).toBe(3);
    const [instruction] = ownDestination.received;
    expect(instruction?.path).toMatch(/^\/iso20022\/pacs008\?pacs002Endpoint=http/);
    expect(instruction?.body).toContain(uetrIn(my.output));

    const jp = await finish('pay', '--to', 'JP', '--amount', '250');
    expect(jp.code, jp.output).toBe(0);
    const [rank1] = /^ +1 {2}(\w+)/m.exec(jp.output)?.slice(1) ?? [];
    expect(rank1).toBe('ZENIHKS0'); // no tier of Meridian below 1,000 SGD, so the tightest spread is best
    await until(() =>
      ownFxp.received.some(({ body }) => body.includes(uetrIn(jp.output).replaceAll('-', ''))),
    );
    expect(ownFxp.received.at(-1)?.path).toBe('/iso20022/fxtr017');
  });

  /** Output and logs, to explain a payment that did not end. */
  const everythingSaid = (paying: RunningCommand) =>
    [
      paying.output(),
      started.output(),
      ...['worker.log', 'api.log'].map((name) => tail(join(runFile().logDirectory, name), 60)),
    ].join('\n');

  it('a worker killed between forward and answer: ACCC, one instruction, one fxtr.017, no help', async () => {
    const payment = ['--to', 'TH', '--amount', '1000', '--account', `...${endingIn.interim}`];
    const paying = run('pay', ...payment, '--wait', '120'); // longer than needed: its own message explains more than a test timeout
    await paying.says('ACWP'); // the destination has the instruction, its answer comes 2 s later
    const killed = runFile().pids['worker'] ?? 0;
    process.kill(killed, 'SIGKILL');
    const code = await paying.ended;
    expect(code, code === 0 ? '' : everythingSaid(paying)).toBe(0);
    expect(paying.output()).toContain('Credited: ACCC');
    await started.says(
      `! worker (process ${killed}) has ended: it was ended by SIGKILL. Starting it again now.`,
    );
    expect(runFile().pids['worker']).not.toBe(killed);

    const entries = readJournal(runFile().journalDirectory).filter(
      (entry) => entry.uetr === uetrIn(paying.output()) && entry.direction === 'received',
    );
    const distinct = (party: string, kind: string) =>
      new Set(
        entries.filter((one) => one.party.startsWith(party) && one.kind === kind).map((one) => one.sha256),
      );
    expect(distinct('destination/', 'pacs008').size).toBe(1);
    expect(distinct('fxp/', 'fxtr017').size).toBe(1);
    expect(distinct('source/', 'pacs002').size).toBe(1);
    expect(entries.filter((entry) => entry.violation !== undefined)).toEqual([]);
  });

  it('Ctrl-C stops everything in order; afterwards a payment is told that nothing runs', async () => {
    const { pids } = runFile();
    started.child.kill('SIGINT');
    expect(await started.ended, started.output()).toBe(0);
    expect(started.output()).toMatch(/✓ Stopped/);
    for (const pid of Object.values(pids)) expect(isAlive(pid)).toBe(false);
    const { code, output } = await finish('pay', '--to', 'MY', '--amount', '250');
    expect(code).toBe(1);
    expect(output).toContain(`No demo is running on ${folder}. Start one in another terminal with npm start`);
  });

  it('ends when its Postgres does, and names the log that says why', async () => {
    const again = run('start');
    await again.says('Isthmus runs until Ctrl-C.');
    const [pidFile = ''] = postgresFolders(join(folder, 'postgres'))
      .map((one) => join(one, 'data', 'postmaster.pid'))
      .filter((path) => existsSync(path));
    process.kill(Number.parseInt(readFileSync(pidFile, 'utf8'), 10), 'SIGQUIT');
    expect(await again.ended, again.output()).toBe(1);
    const log = join(folder, 'postgres.log');
    expect(again.output()).toContain(`✗ Postgres has ended: it exited with code 0. Its log is ${log}.`);
    expect(existsSync(log)).toBe(true);
  });

  afterAll(async () => {
    started.child.kill('SIGTERM');
    await started.ended;
    ownDestination.server.close();
    ownFxp.server.close();
    place.remove();
  });
});
