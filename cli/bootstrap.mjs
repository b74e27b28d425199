// Every npm script starts here. It installs missing packages, then starts the command, so a fresh clone needs
// only Node and npm. It may import only node: modules, because no package may be installed yet.
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureInstalled, installedNode, leastToInstall, leastToRun, npm, refuseNode } from './install.mjs';
import { spawnGuarded } from './parts/guard.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The entry file of each command. */
const mainOf = new Map([
  ...['demo', 'start', 'pay', 'where', 'reset', 'migrate', 'retention', 'try:image'].map(
    (name) => /** @type {const} */ ([name, 'cli/main.ts']),
  ),
  ['ops', 'cli/ops/main.ts'],
  ['admin', 'cli/ops/main.ts'],
  ['audit', 'cli/ops/main.ts'],
  ['size', 'cli/ops/main.ts'],
  ['bench', 'bench/main.ts'],
  ['verify:chaos', 'chaos/main.ts'],
  ['drill', 'chaos/main.ts'],
]);

/**
 * The static checks of `verify` and `verify:static`, in the order in which they run. Each is an npm script.
 */
const checks = ['format:check', 'lint', 'lint:commits', 'types', 'unused', 'bundle'];

/** The exit code of a program that a signal ended. @param {NodeJS.Signals} signal */
const codeOf = (signal) => 128 + constants.signals[signal];

// npm repeats a signal that the terminal has already sent; repeats within this time count as one
const samePressMs = 500;
// how often Ctrl-C is passed on: the first stops the command gracefully, the second at once, a third kills it
const patience = 2;

/** The running child process, if any. @type {import('node:child_process').ChildProcess | undefined} */
let running;
/**
 * The first signal that this process received. No program is started after that.
 * @type {NodeJS.Signals | undefined}
 */
let asked;
let lastSignalMs = 0;
let presses = 0;

/**
 * Passes a signal to the child process. Without a child process, it exits.
 * @param {NodeJS.Signals} signal
 */
function forward(signal) {
  const now = Date.now();
  asked ??= signal;
  if (running === undefined) process.exit(codeOf(signal));
  if (now - lastSignalMs < samePressMs) return;
  lastSignalMs = now;
  presses += 1;
  running.kill(presses <= patience ? signal : 'SIGKILL');
}

/**
 * Runs a program to its end, in a separate process group. Otherwise the program would get each Ctrl-C three
 * times: from the terminal, from npm and from this process. If this process dies, the program is stopped.
 * @param {string[]} args
 * @param {string} command default: Node itself
 * @returns {Promise<number>} its exit code, or 128 + the signal's number if a signal ended or prevented it
 */
function run(args, command = installedNode(root) ?? process.execPath) {
  if (asked !== undefined) return Promise.resolve(codeOf(asked));
  return new Promise((resolve) => {
    const child = spawnGuarded(
      command,
      args,
      { cwd: root, stdio: ['inherit', 'inherit', 'inherit'] },
      { stop: 'SIGTERM' },
    );
    running = child;
    child.on('error', (error) => {
      running = undefined;
      console.error(`✗ ${args.join(' ')} could not be started: ${error.message}`);
      resolve(127);
    });
    child.on('exit', (code, signal) => {
      running = undefined;
      resolve(code ?? codeOf(signal ?? 'SIGTERM'));
    });
  });
}

/**
 * Prepares the Temporal server and Postgres, then runs the quick tests, or the named test files.
 * @param {string[]} args for vitest; a word after an option counts as the value of that option
 */
async function test(args) {
  const isNamed = args.some(
    (one, at) =>
      one.startsWith('--changed') || (!one.startsWith('-') && args[at - 1]?.startsWith('-') !== true),
  );
  process.env['TESTS'] ??= isNamed ? 'named' : 'quick';
  const prepared = await run(['cli/parts/prepare.ts']);
  if (prepared !== 0) return prepared;
  console.log('▶ Running the tests');
  return run(['node_modules/vitest/vitest.mjs', 'run', ...args]);
}

/** Runs all tests, each with its full number of samples. @param {string[]} args for vitest */
function testAll(args) {
  process.env['TESTS'] = 'all';
  return test(args);
}

/** Runs every static check, even after a failure, so that one run reports all failures. */
async function verifyStatic() {
  /** @type {string[]} */
  const failed = [];
  for (const [index, check] of checks.entries()) {
    console.log(`▶ ${index + 1}/${checks.length} ${check}`);
    const started = Date.now();
    const code = await run([...npm().args, 'run', '--silent', check], npm().command);
    const seconds = ((Date.now() - started) / 1_000).toFixed(1);
    console.log(code === 0 ? `✓ ${check} (${seconds} s)` : `✗ ${check} failed (${seconds} s)`);
    if (asked !== undefined) return codeOf(asked);
    if (code !== 0) failed.push(check);
  }
  console.log(failed.length === 0 ? '✓ All static checks passed' : `✗ Failed: ${failed.join(', ')}`);
  return failed.length === 0 ? 0 : 1;
}

/** Runs the static checks, then the tests. @param {string[]} args for vitest */
async function verify(args) {
  const code = await verifyStatic();
  return code === 0 ? test(args) : code;
}

/**
 * Repeats the fuzz tests of `npm run test:all` with new random seeds for the given number of minutes.
 * @param {string[]} args
 */
async function fuzz(args) {
  const { values } = parseArgs({
    args,
    options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } },
  });
  const minutes = Number(values.minutes);
  const first = Number(values.seed ?? Math.floor(Math.random() * 1_000_000_000));
  const endsAt = Date.now() + minutes * 60_000;
  for (let seed = first; ; seed += 1) {
    console.log(`▶ Round ${seed - first + 1}, seed ${seed}`);
    process.env['FUZZ_SEED'] = String(seed);
    const code = await testAll(['test/fuzz']);
    if (asked !== undefined) return codeOf(asked);
    if (code !== 0) {
      console.error(`✗ Seed ${seed} failed. Again: FUZZ_SEED=${seed} npm run test:all -- test/fuzz`);
      return 1;
    }
    if (Date.now() >= endsAt) {
      console.log(`✓ ${seed - first + 1} rounds passed, seeds ${first} to ${seed}`);
      return 0;
    }
  }
}

/** Commands that this file runs itself. @type {Map<string, (args: string[]) => Promise<number>>} */
const ownCommands = new Map([
  ['test', test],
  ['test:all', testAll],
  ['verify', verify],
  ['verify:static', verifyStatic],
  ['fuzz', fuzz],
]);

/**
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<number>} exit code
 */
async function start(command, args) {
  const main = mainOf.get(command);
  const carryOut = main === undefined ? ownCommands.get(command) : () => run([main, command, ...args]);
  if (carryOut === undefined) {
    console.error(
      `Usage: node cli/bootstrap.mjs ${[...mainOf.keys(), ...ownCommands.keys()].join('|')} [options]`,
    );
    return 2;
  }
  const own = process.versions.node;
  const tooOld = refuseNode(own, leastToInstall);
  if (tooOld === undefined && !(await ensureInstalled(root, run)))
    return asked === undefined ? 1 : codeOf(asked);
  const refusal = tooOld ?? (installedNode(root) === undefined ? refuseNode(own, leastToRun) : undefined);
  if (refusal !== undefined) {
    console.error(refusal);
    return 1;
  }
  return carryOut(args);
}

// Listen before any child process starts, so that no signal is missed.
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, forward);

const [command = '', ...args] = process.argv.slice(2);
process.exitCode = await start(command, args).catch((/** @type {unknown} */ error) => {
  console.error(`✗ ${error instanceof Error ? error.message : String(error)}`);
  return 1;
});
