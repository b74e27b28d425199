// The subjects of commits are checked from the commit on that brought the check.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

test.each([
  ['Say why a quote has expired', true],
  ['Fixed the rounding of fees', false],
  ['Say why a quote has expired.', false],
  [`Say ${'x'.repeat(70)}`, false],
])('the subject "%s" is good: %s', (subject, isGood) => {
  const folder = mkdtempSync(join(tmpdir(), 'commits-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], { cwd: folder });
  const commit = (text: string) => git('commit', '-q', '--allow-empty', '-m', text);
  git('init', '-q');
  commit('something earlier, which nobody changes any more.');
  mkdirSync(join(folder, 'cli'));
  cpSync(resolve('cli/lint-commits.mjs'), join(folder, 'cli/lint-commits.mjs'));
  git('add', '.');
  commit('Check the subjects of commits');
  commit(subject);
  const { status, stderr } = spawnSync(process.execPath, ['cli/lint-commits.mjs'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(status).toBe(isGood ? 0 : 1);
  expect(stderr.includes(subject)).toBe(!isGood);
});
