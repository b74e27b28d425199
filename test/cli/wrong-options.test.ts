// What is typed wrongly is told at once, with exit code 2, whether it is the name of an option or its value, and also
// when npm has taken the options for itself. What must wait says for what.
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { removeRunFile, writeRunFile } from '../../cli/demo/run-file.ts';
import { toldKinds } from '../../db/deliveries/deliveries.ts';
import { commandFolder } from './command.ts';

const place = await commandFolder();
afterAll(() => place.remove());

describe('exit code 2', () => {
  it.each([
    [['pay', '--to', 'XX', '--amount', '250'], '--to XX: the demo has DE'],
    [['pay', '--to', 'TH', '--amount', '250', '--nonsense'], "unknown option '--nonsense'"],
    [['pay', '--to', 'TH', '--ammount', '100'], "unknown option '--ammount'\n(Did you mean --amount?)"],
    [['pay', '--to', 'TH'], "required option '--amount <amount>' not specified"],
    [['pay'], "required options '--to <country>' and '--amount <amount>' not specified"],
    [['where', 'nowhere'], 'The demo has no nowhere. Name one of: api'],
    [
      ['start', '--destination', 'ZZ=http://127.0.0.1:9000'],
      '--destination ZZ=http://127.0.0.1:9000: name one',
    ],
    [['bench', 'nothing'], 'There is no benchmark nothing'],
  ])('%j', { timeout: 30_000 }, async (args, said) => {
    const { code, output } = await place.finish(...args);
    expect(output).toContain(said);
    expect(code, output).toBe(2);
  });
});

describe('npm run bench -- --help', () => {
  it.each([
    [
      ['--help'],
      /Usage: npm run bench -- <name> \[options\][^]*payments[^]*quotes[^]*xml[^]*bench\/README\.md/,
    ],
    [['-h'], /Usage: npm run bench/],
    [['payments', '--help'], /Usage: npm run bench[^]*--payments[^]*--concurrency[^]*--json[^]*--profile/],
  ])('%j prints the usage and measures nothing', { timeout: 30_000 }, async (args, said) => {
    const { code, output } = await place.finish('bench', ...args);
    expect(output).toMatch(said);
    expect(output).not.toMatch(/✗|Postgres/);
    expect(code).toBe(0);
  });
});

describe('npm run ops -- redeliver --help', () => {
  it.each(['redeliver', 'redeliver-dead'])('%s names every kind', { timeout: 30_000 }, async (command) => {
    const { code, output } = await place.finish('ops', command, '--help');
    expect(output).toContain(`--kind <${toldKinds.join('|')}>`);
    expect(code).toBe(0);
  });
});

describe('options that npm has taken for itself, for want of a --', () => {
  it.each([
    [['pay', '--to', 'MY', '--amount', '250'], 'npm run pay -- --to <country> --amount <amount>'],
    [['demo', '--once'], 'npm run demo -- --once'],
  ])('npm run %j says how to write it', { timeout: 60_000 }, async (args, written) => {
    const npm = spawn('npm', ['run', ...args], {
      cwd: resolve(import.meta.dirname, '..', '..'),
      env: place.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [npm.stdout, npm.stderr])
      stream.on('data', (some: Buffer) => (output += some.toString()));
    const code = await new Promise<number | null>((ended) => npm.once('close', ended));
    expect(output).toContain(written);
    expect(code).toBe(2);
  });
});

describe('while the demo is not up yet', () => {
  it.each([[['where']], [['pay', '--to', 'TH', '--amount', '250']]])(
    '%j says that none runs, and what to wait for',
    { timeout: 30_000 },
    async (args) => {
      const { code, output } = await place.finish(...args);
      expect(output).toMatch(/No demo is running .* wait until it says that Isthmus is up/);
      expect(code).toBe(1);
    },
  );

  it('a demo whose api does not answer is told with the log that says why', async () => {
    writeRunFile(place.folder, {
      instanceId: '3f1c9d8e-6a0b-4b57-9a44-0d2a1f3e5c77',
      apiUrl: 'http://127.0.0.1:9', // nobody listens there
      temporalAddress: '127.0.0.1:9',
      temporalNamespace: 'default',
      databaseUrl: 'postgres://127.0.0.1:9/none',
      sandbox: { source: 'http://a', destination: 'http://b', fxProvider: 'http://c' },
      metrics: { api: 'http://d', worker: 'http://e' },
      journalDirectory: place.folder,
      logDirectory: '/logs',
      replaced: { operators: {}, fxps: {} },
      pids: {},
    });
    const { code, output } = await place.finish('where');
    removeRunFile(place.folder);
    expect(output).toMatch(/does not answer at http:.*run this again in some seconds; \/logs says why/);
    expect(code).toBe(1);
  });
});
