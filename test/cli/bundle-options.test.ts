// `npm run bundle` removes the folder that it writes to, so what it does not understand must write and remove nothing.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'isthmus-bundle-'));
afterAll(() => rmSync(folder, { recursive: true }));

function bundle(...args: readonly string[]): Promise<{ code: unknown; output: string }> {
  return new Promise((ended) => {
    execFile(process.execPath, ['cli/bundle.mjs', ...args], { cwd: root }, (error, stdout, stderr) =>
      ended({ code: error === null ? 0 : error.code, output: stdout + stderr }),
    );
  });
}

describe('npm run bundle', () => {
  it.each(['--help', '-h'])('%s prints the usage and writes nothing', async (option) => {
    const { code, output } = await bundle(option);
    expect(output).toMatch(/Usage: npm run bundle -- \[folder\][^]*dist/);
    expect(code).toBe(0);
    expect(existsSync(join(root, option))).toBe(false);
  });

  it.each([
    [['--minify'], "unknown option '--minify'"],
    [['one', 'two'], 'too many arguments'],
  ])('%j: exit code 2, and nothing is written', async (args, said) => {
    const { code, output } = await bundle(...args);
    expect(output).toContain(said);
    expect(code, output).toBe(2);
    for (const name of args) expect(existsSync(join(root, name))).toBe(false);
  });

  it('a folder that holds anything but an earlier bundle is left as it is', async () => {
    const kept = join(folder, 'kept');
    mkdirSync(kept);
    writeFileSync(join(kept, 'letter.txt'), 'mine');
    const { code, output } = await bundle(kept);
    expect(output).toContain(`${kept} holds something else than an earlier bundle`);
    expect(code, output).toBe(2);
    expect(readdirSync(kept)).toEqual(['letter.txt']);
  });
});
