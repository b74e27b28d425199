// What every npm script starts: from a bare clone to a running command with only Node and npm.
// It installs what is missing and hands over; it must not import anything but node: and must not know the domain.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { guard } from './parts/guard.mjs';
import { ensureInstalled, npm, refuseNode } from './install.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const main = ['--import', 'tsx', 'cli/main.ts'];

/** Commands that cli/main.ts carries out. */
const mainCommands = ['demo', 'start', 'pay', 'reset', 'migrate', 'bench'];

/** The static checks of `verify`, in this order; each is an npm script. */
const checks = ['format:check', 'lint', 'types', 'unused', 'bundle'];

/**
 * Runs a program to its end. It has a process group of its own, so that one Ctrl-C, which the terminal, npm
 * and we would each pass on, reaches it once.
 * @param {string[]} args
 * @param {string} command a Node program unless named
 * @returns {Promise<number>} its exit code; 128 + the signal's number when a signal ended it
 */
function run(args, command = process.execPath) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', detached: true });
    const release = child.pid === undefined ? () => undefined : guard(child.pid, 'SIGTERM');
    const stopForwarding = forwardSignals(child);
    child.on('error', (error) => {
      console.error(`✗ ${args.join(' ')} could not be started: ${error.message}`);
      resolve(127);
    });
    child.on('exit', (code, signal) => {
      stopForwarding();
      release();
      resolve(code ?? 128 + (signal === null ? 0 : (signalNumbers[signal] ?? 15)));
    });
  });
}

/** @type {Partial<Record<NodeJS.Signals, number>>} */
const signalNumbers = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGSEGV: 11, SIGTERM: 15, SIGABRT: 6 };

const samePressMs = 500; // npm repeats what the terminal has already sent

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {() => void} ends the forwarding
 */
function forwardSignals(child) {
  let last = 0;
  /** @type {NodeJS.SignalsListener} */
  const forward = (signal) => {
    const now = Date.now();
    if (now - last < samePressMs) return;
    last = now;
    child.kill(signal);
  };
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, forward);
  return () => {
    for (const signal of signals) process.off(signal, forward);
  };
}

/**
 * Fetches the Temporal server and looks for Postgres, then runs the tests.
 * @param {string[]} args for vitest
 */
async function test(args) {
  const prepared = await run(['--import', 'tsx', 'cli/parts/prepare.ts']);
  if (prepared !== 0) return prepared;
  console.log('▶ Running the tests');
  return run(['node_modules/vitest/vitest.mjs', 'run', ...args]);
}

/** Runs every static check, also after one has failed, so that one run tells all. */
async function verify() {
  /** @type {string[]} */
  const failed = [];
  for (const [index, check] of checks.entries()) {
    console.log(`▶ ${index + 1}/${checks.length} ${check}`);
    const started = Date.now();
    const code = await run([...npm().args, 'run', '--silent', check], npm().command);
    const seconds = ((Date.now() - started) / 1_000).toFixed(1);
    console.log(code === 0 ? `✓ ${check} (${seconds} s)` : `✗ ${check} failed (${seconds} s)`);
    if (code !== 0) failed.push(check);
  }
  console.log(failed.length === 0 ? '✓ All static checks passed' : `✗ Failed: ${failed.join(', ')}`);
  return failed.length === 0 ? 0 : 1;
}

/**
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<number>} exit code
 */
async function start(command, args) {
  if (!mainCommands.includes(command) && command !== 'test' && command !== 'verify') {
    console.error(`Usage: node cli/bootstrap.mjs ${[...mainCommands, 'test', 'verify'].join('|')} [options]`);
    return 2;
  }
  const refusal = refuseNode(process.versions.node);
  if (refusal !== undefined) {
    console.error(refusal);
    return 1;
  }
  if (!(await ensureInstalled(root))) return 1;
  switch (command) {
    case 'test':
      return test(args);
    case 'verify':
      return verify();
    default:
      return run([...main, command, ...args]);
  }
}

const [command = '', ...args] = process.argv.slice(2);
process.exitCode = await start(command, args);
