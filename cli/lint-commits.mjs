// Checks the subjects of all commits since this file was added. A subject must be imperative, have at most 72
// characters, and not end with a full stop.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const most = 72;
const notImperative = /^(?:\w+(?:ed|ing)|Adds|Fixes|Makes|Removes|Updates|Changes)\b/;

/** @param {string} subject */
function faultOf(subject) {
  if (subject.length > most) return `has ${subject.length} characters, at most ${most} are allowed`;
  if (!/^[A-Z]/.test(subject)) return 'must begin with a capital letter';
  if (notImperative.test(subject)) return 'must begin with an imperative, as in "Add" or "Delete"';
  return subject.endsWith('.') ? 'must not end with a full stop' : undefined;
}

/** @param {string[]} args */
const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();

if (existsSync('.git')) {
  const first = git('log', '--diff-filter=A', '--format=%H', '--', 'cli/lint-commits.mjs').split('\n').at(-1);
  const subjects = git('log', '--no-merges', '--format=%h %s', first ? `${first}..HEAD` : '-1').split('\n');
  for (const line of subjects.filter((one) => one !== '')) {
    const [commit, ...words] = line.split(' ');
    const fault = faultOf(words.join(' '));
    if (fault === undefined) continue;
    console.error(
      `✗ ${commit}: the subject ${fault}: "${words.join(' ')}". Change it with git commit --amend or git rebase -i.`,
    );
    process.exitCode = 1;
  }
} else console.error('The subjects of commits are not checked: this is not a clone.');
