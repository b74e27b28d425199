// Every npm script starts here: from a bare clone to a running command, with only Node and npm.
// It installs missing packages, then starts the command. It may import only node: modules and must not know the domain.
import { fileURLToPath } from 'node:url';
import { ensureInstalled, installedNode, leastToInstall, leastToRun, npm, refuseNode } from './install.mjs';
import { spawnGuarded } from './parts/guard.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The entry file of each command. */
const mainOf = new Map([
  ...['demo', 'start', 'pay', 'where', 'reset', 'migrate', 'retention'].map(
    (name) => /** @type {const} */ ([name, 'cli/main.ts']),
  ),
  ['ops', 'cli/ops/main.ts'],
  ['admin', 'cli/ops/main.ts'],
  ['audit', 'cli/ops/main.ts'],
  ['bench', 'bench/main.ts'],
  ['verify:chaos', 'chaos/main.ts'],
]);

/** The static checks of `verify` and `verify:static`, in this order; each is an npm script. */
const checks = ['format:check', 'lint', 'lint:commits', 'types', 'unused', 'bundle'];

/** @type {Record<string, number>} */
const signalNumbers = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGSEGV: 11, SIGTERM: 15, SIGABRT: 6 };

/** The exit code of a program that a signal has ended. @param {string} signal */
const codeOf = (signal) => 128 + (signalNumbers[signal] ?? 15);

const samePressMs = 500; // npm repeats a signal that the terminal has already sent
const patience = 2; // presses of Ctrl-C before we kill the command: the first stops it in order, the second at once

/** The child process, if one runs. @type {import('node:child_process').ChildProcess | undefined} */
let running;
/** The first signal that we received; we start nothing after it. @type {NodeJS.Signals | undefined} */
let asked;
let lastSignalMs = 0;
let presses = 0;

/**
 * Passes a signal on to the child process, or exits if there is no child process.
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
 * Runs a program to its end, in a separate process group. A Ctrl-C arrives from the terminal, from npm and from us;
 * this way the program gets it only once. If this process dies, the program is told to stop.
 * @param {string[]} args
 * @param {string} command a Node program by default
 * @returns {Promise<number>} its exit code; 128 + the signal's number if a signal ended it or came before its start
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
      resolve(code ?? codeOf(signal ?? ''));
    });
  });
}

/** Options of vitest that take a value which is not a file name. */
const takingValues = new Set(
  ['testNamePattern', 'reporter', 'bail', 'retry', 'maxWorkers', 'exclude', 'project', 'shard', 'testTimeout']
    .map((name) => `--${name}`)
    .concat('-t'),
);

/**
 * Fetches the Temporal server, looks for Postgres, then runs the tests: the quick ones, or the named files.
 * @param {string[]} args for vitest
 */
async function test(args) {
  const isValue = (/** @type {number} */ at) => takingValues.has(args[at - 1] ?? '');
  const isNamed = args.some(
    (one, at) => one.startsWith('--changed') || (!one.startsWith('-') && !isValue(at)),
  );
  process.env['TESTS'] ??= isNamed ? 'named' : 'quick';
  const prepared = await run(['cli/parts/prepare.ts']);
  if (prepared !== 0) return prepared;
  console.log('▶ Running the tests');
  return run(['node_modules/vitest/vitest.mjs', 'run', ...args]);
}

/** Runs all tests, with all samples. @param {string[]} args for vitest */
function testAll(args) {
  process.env['TESTS'] = 'all';
  return test(args);
}

/** Help text of `verify` and `verify:static`. @param {string} command */
function verifyHelp(command) {
  const isWhole = command === 'verify';
  return [
    `Usage: npm run ${command}${isWhole ? ' [-- <options of vitest>]' : ''}`,
    '',
    `The static checks, each an npm script: ${checks.join(', ')}${isWhole ? '; if they pass, npm test' : ''}.`,
    'Exit code: 0 everything passed, 1 something did not.',
  ].join('\n');
}

/** Runs every static check, even after one has failed, so that one run reports all failures. */
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

const fuzzHelp = `Usage: npm run fuzz [-- --minutes <number>] [--seed <number>]

Broken messages, names and requests, with other ones in each round, until the minutes are over (default: 10); the
last round is finished, and takes a minute or two.
A round that fails ends it, and names its seed: FUZZ_SEED=<seed> npm run test:all -- test/fuzz plays that round again.
Exit code: 0 every round passed, 1 one did not, 2 the options were not understood.`;

/** Repeats the fuzz tests of `npm run test:all` with new seeds. @param {string[]} args */
async function fuzz(args) {
  const given = new Map([
    ['--minutes', 10],
    ['--seed', Math.floor(Math.random() * 1_000_000_000)],
  ]);
  for (let at = 0; at < args.length; at += 2) {
    const [name = '', value = ''] = args.slice(at, at + 2);
    if (['--help', '-h'].includes(name)) {
      console.log(fuzzHelp);
      return 0;
    }
    if (!given.has(name) || !/^\d{1,9}$/.test(value)) {
      console.error(`${name} ${value}: not understood.\n\n${fuzzHelp}`);
      return 2;
    }
    given.set(name, Number(value));
  }
  const [minutes = 0, first = 0] = given.values();
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
  // every other command prints its own help
  if (['verify', 'verify:static'].includes(command) && args.some((one) => ['--help', '-h'].includes(one))) {
    console.log(verifyHelp(command));
    return 0;
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

// Listen before anything is started, so that no signal is missed while a child process runs.
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, forward);

const [command = '', ...args] = process.argv.slice(2);
process.exitCode = await start(command, args).catch((/** @type {unknown} */ error) => {
  console.error(`✗ ${error instanceof Error ? error.message : String(error)}`);
  return 1;
});
