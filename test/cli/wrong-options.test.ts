// Wrong options end with exit code 2 and a sentence, also when npm has taken the options for itself.
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { commandFolder } from './command.ts';

const place = await commandFolder();
afterAll(() => place.remove());

describe('exit code 2', () => {
  it.each([
    [['pay', '--to', 'XX', '--amount', '250'], '--to XX: the demo has DE'],
    [['pay', '--to', 'TH', '--ammount', '100'], "unknown option '--ammount'\n(Did you mean --amount?)"],
    [
      ['start', '--destination', 'ZZ=http://127.0.0.1:9000'],
      '--destination ZZ=http://127.0.0.1:9000: name one',
    ],
  ])('%j', async (args, said) => {
    const { code, output } = await place.finish(...args);
    expect(output).toContain(said);
    expect(code, output).toBe(2);
  });
});

describe('options that npm has taken for itself, for want of a --', () => {
  it.each([
    [['pay', '--to', 'MY', '--amount', '250'], 'npm run pay -- --to <country> --amount <amount>'],
    [['demo', '--once'], 'npm run demo -- --once'],
  ])('npm run %j says how to write it', async (args, written) => {
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
    async (args) => {
      const { code, output } = await place.finish(...args);
      expect(output).toMatch(/No demo is running .* wait until it says that Isthmus is up/);
      expect(code).toBe(1);
    },
  );
});
