// `npm run try:image`: builds the image, starts the Compose file with it, makes one payment and removes everything. It
// speaks to the container engine by its command line only, so that Docker and Podman both work.
import { randomBytes } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Environment } from '../core/settings/environment-variables.ts';
import type { CommandContext } from './command.ts';
import { demoPlan, faultsOf } from './demo/demo.ts';
import { playPayment } from './demo/play-payment.ts';
import { UserError } from './errors.ts';
import { spawnGuarded } from './parts/guard.mjs';
import { secondsSince } from './parts/progress.ts';

/** A program and its arguments. */
type Words = readonly string[];

/** Differs from the name in the Compose file, so that a deployment on this machine keeps its containers and data. */
const projectName = 'isthmus-try';
const startLimitMs = 600_000; // an engine without an overlay file system needs half a minute for each image
const pollMs = 1_000; // each poll starts some programs
const journalPollMs = 200;
const apiUrl = 'http://127.0.0.1:8080'; // as docker-compose.yml publishes it
const temporalUiUrl = 'http://127.0.0.1:8233';

/**
 * The settings of the trial, by their names in docker-compose.yml.
 * @internal exported for tests
 */
export function trialSettings(): Readonly<Record<string, string>> {
  const owners = ['POSTGRES', 'ISTHMUS_DB', 'API_DB', 'WORKER_DB', 'TEMPORAL_DB'];
  return {
    ...Object.fromEntries(owners.map((owner) => [`${owner}_PASSWORD`, randomBytes(24).toString('hex')])),
    PUBLIC_URL: apiUrl,
    AUTH: 'builtin',
    DEMO: '1',
    ALLOW_DEMO_ON_NETWORK: '1',
    ALLOW_LOOPBACK_CALLBACKS: '1',
  };
}

interface Trial extends Pick<CommandContext, 'root' | 'terminal' | 'env'> {
  /** The commands of the engine and of Compose, with their first arguments. */
  readonly engine: Words;
  readonly compose: Words;
  /** Temporary folder. */
  readonly folder: string;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** @returns the exit code of the command */
export async function tryImage(context: CommandContext): Promise<number> {
  const asked = new AbortController();
  let exitCode = 0;
  context.interruption.handTo((code) => {
    exitCode = code;
    asked.abort();
  });
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-try-'));
  try {
    const trial = await findPrograms(context, folder, asked.signal);
    const ending = { ...trial, signal: new AbortController().signal }; // Ctrl-C does not end the removal
    await carryOut(trial).finally(() => step(ending, 'Removing everything', () => remove(ending)));
  } catch (error) {
    if (!asked.signal.aborted) throw error;
  } finally {
    rmSync(folder, { recursive: true });
  }
  return exitCode;
}

const wordsOf = (env: Environment, name: string): Words =>
  (env[name] ?? '').split(' ').filter((word) => word !== '');

async function findPrograms(context: CommandContext, folder: string, signal: AbortSignal): Promise<Trial> {
  const { root, terminal } = context;
  const env = { ...context.env, ...trialSettings() };
  const place = { root, terminal, env, folder, signal };
  const choose = async (name: string, candidates: readonly Words[]): Promise<Words> => {
    const named = wordsOf(env, name);
    const tried = named.length > 0 ? [named] : candidates;
    for (const words of tried) if ((await run(place, [...words, 'version'])).code === 0) return words;
    const commands = tried.map((words) => `\`${words.join(' ')} version\``).join(' and ');
    throw new UserError(`${commands} failed. Start or install the program, or name another one in ${name}.`);
  };
  const engine = await choose('CONTAINER_ENGINE', [['docker'], ['podman']]);
  const alone = `${basename(engine[0] ?? '')}-compose`; // where Compose is no part of the engine's command
  const compose = await choose('COMPOSE_COMMAND', [[...engine, 'compose'], [alone]]);
  const empty = join(folder, 'empty.env'); // instead of the .env of a deployment
  writeFileSync(empty, '');
  const options = ['--file', 'docker-compose.yml', '--env-file', empty, '--project-name', projectName];
  return { ...place, engine, compose: [...compose, ...options, '--profile', 'sandbox'] };
}

async function carryOut(trial: Trial): Promise<void> {
  const { root, env, engine, terminal } = trial;
  const file = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
  const [image = ''] = /isthmus:[\d.]+/.exec(file) ?? [];
  const options = wordsOf(env, 'IMAGE_BUILD_OPTIONS');
  await step(trial, `Building ${image}: ${engine.join(' ')} build`, () =>
    must(trial, [...engine, 'build', '--tag', image, ...options, '.'], 'inherit'),
  );
  await step(trial, 'Removing what an interrupted trial left', () => remove(trial));
  await step(trial, `Starting docker-compose.yml: ${trial.compose.join(' ')} up`, () => start(trial));
  await step(trial, 'One payment: 1,000 SGD from Singapore to Thailand', () =>
    pay(trial).catch(async (error: unknown) => {
      await showLogs(trial, ({ isOurs }) => isOurs);
      throw error;
    }),
  );
  await step(trial, 'The daily job', () =>
    must(trial, [...trial.compose, 'run', '--rm', '--no-deps', 'retention', '--dry-run'], 'inherit'),
  );
  await step(trial, 'Stopping in order', async () => {
    await must(trial, [...trial.compose, 'stop'], 'log');
    const services = await servicesOf(trial);
    for (const service of services) terminal.line(lineOf(service));
    // 143: SIGTERM has ended a program that does not handle it, which is right for some of others
    const bad = services.filter(
      ({ isReady, isOurs, state }) => !isReady && (isOurs || state !== 'exited (143)'),
    );
    if (bad.length > 0) throw new UserError(`Not ended in order: ${bad.map(({ name }) => name).join(', ')}.`);
  });
}

const lineOf = ({ name, state }: Service) => `  ${name.padEnd(20)} ${state}`;

/** Starts all services, and waits until each is ready or has ended well. */
async function start(given: Trial): Promise<void> {
  const limit = AbortSignal.timeout(startLimitMs);
  const failed = new AbortController();
  const trial = { ...given, signal: AbortSignal.any([given.signal, limit, failed.signal]) };
  let isUp = false;
  const up = must(trial, [...trial.compose, 'up', '--detach', '--no-build'], 'log').then(() => (isUp = true));
  const shown = new Set<string>();
  const watch = async () => {
    for (let isReady = false; !isReady;) {
      const isComplete = isUp; // from then on, the engine lists every service
      const services = await servicesOf(trial);
      for (const line of services.map(lineOf).filter((one) => !shown.has(one))) {
        shown.add(line);
        trial.terminal.line(line);
      }
      isReady = isComplete && services.length > 0 && services.every((one) => one.isReady);
      if (!isReady) await delay(pollMs, undefined, { signal: trial.signal });
    }
  };
  const both = [up, watch()];
  try {
    await Promise.all(both);
  } catch (error) {
    failed.abort();
    await Promise.allSettled(both);
    given.signal.throwIfAborted();
    await showLogs(given, ({ isReady }) => !isReady);
    throw limit.aborted ? new UserError(`Not ready within ${startLimitMs / 60_000} minutes.`) : error;
  }
}

async function showLogs(trial: Trial, isMeant: (service: Service) => boolean): Promise<void> {
  for (const { id, name } of (await servicesOf(trial)).filter(isMeant)) {
    trial.terminal.line(`  The last lines of ${name}:`);
    await run(trial, [...trial.engine, 'logs', '--tail', '20', id], 'inherit');
  }
}

/** Makes the payment of the demo, and shows it as the parties and as an operator see it. */
async function pay(trial: Trial): Promise<void> {
  const { engine, terminal, signal } = trial;
  const services = await servicesOf(trial);
  const idOf = (name: string) => services.find((one) => one.name === name)?.id ?? name;
  const journal = join(trial.folder, 'journal.jsonl');
  writeFileSync(journal, '');
  const over = new AbortController();
  const copying = (async () => {
    while (!over.signal.aborted) {
      const command = ['exec', idOf('sandbox'), 'sh', '-c', 'cat /tmp/journal/*.jsonl'];
      const { code, output } = await run({ ...trial, signal: over.signal }, [...engine, ...command]);
      if (code === 0) writeFileSync(journal, output);
      await delay(journalPollMs);
    }
  })();
  try {
    const sandbox = { source: 'http://127.0.0.1:9101' }; // in the network of the worker
    const run = { apiUrl, sandbox, replaced: { operators: {}, fxps: {} }, journalDirectory: trial.folder };
    const payment = await playPayment({ run, terminal, signal }, demoPlan);
    signal.throwIfAborted();
    const faults = faultsOf(payment);
    if (faults.length > 0) throw new UserError(faults.join(' '));
    const operator = ['--env', 'ISTHMUS_CLIENT_ID=operator', '--env', 'ISTHMUS_CLIENT_SECRET=demo-operator'];
    const show = ['exec', ...operator, idOf('api'), 'isthmus', 'ops', 'show', payment.uetr];
    await must(trial, [...engine, ...show], 'inherit');
  } finally {
    over.abort();
    await copying;
  }
  const { status } = await fetch(temporalUiUrl, { signal });
  if (status !== 200) throw new UserError(`The Temporal UI at ${temporalUiUrl} answers ${status}.`);
}

async function remove(trial: Trial): Promise<void> {
  await must(trial, [...trial.compose, 'down', '--volumes', '--remove-orphans'], 'log');
  const left = await servicesOf(trial);
  if (left.length > 0) throw new UserError(`Left: ${left.map(({ name }) => name).join(', ')}.`);
}

interface Service {
  readonly id: string;
  readonly name: string;
  /** In words, such as `running (healthy)` or `exited (0)`. */
  readonly state: string;
  /** Whether it runs and is healthy, or has ended with exit code 0. */
  readonly isReady: boolean;
  /** Whether it runs the image of Isthmus. */
  readonly isOurs: boolean;
}

/** What Docker and Podman both say about a container. */
interface Inspected {
  readonly Id: string;
  readonly Config: { readonly Labels: Readonly<Partial<Record<string, string>>>; readonly Image: string };
  readonly State: {
    readonly Status: string;
    readonly ExitCode: number;
    readonly Health?: { readonly Status?: string };
  };
}

/** Lists the containers of the trial. */
async function servicesOf(trial: Trial): Promise<readonly Service[]> {
  const { engine } = trial;
  const label = `label=com.docker.compose.project=${projectName}`;
  const list = await must(trial, [...engine, 'ps', '--all', '--quiet', '--filter', label]);
  const ids = list.split('\n').filter((id) => id !== '');
  if (ids.length === 0) return [];
  const { code, output } = await run(trial, [...engine, 'inspect', ...ids]);
  if (code !== 0) return []; // one has just been removed
  const containers = JSON.parse(output) as readonly Inspected[];
  if (basename(engine[0] ?? '') === 'podman') {
    // Podman leaves health checks to systemd, which not every machine has.
    const starting = containers.filter(({ State }) => State.Health?.Status === 'starting');
    for (const { Id } of starting) await run(trial, [...engine, 'healthcheck', 'run', Id]);
  }
  return containers.map(({ Id, Config, State }) => {
    const { Status, ExitCode, Health } = State;
    const health = Health?.Status ?? '';
    const hasEnded = Status === 'exited';
    return {
      id: Id,
      name: Config.Labels['com.docker.compose.service'] ?? Id,
      state: `${Status}${hasEnded ? ` (${ExitCode})` : health && ` (${health})`}`,
      isReady: hasEnded ? ExitCode === 0 : Status === 'running' && ['', 'healthy'].includes(health),
      isOurs: /(^|\/)isthmus:/.test(Config.Image),
    };
  });
}

/** Prints what is done and how long it took. */
async function step(trial: Trial, title: string, work: () => Promise<unknown>): Promise<void> {
  const { terminal, signal } = trial;
  const startedMs = performance.now();
  terminal.line(`${terminal.paint('heading', '▶')} ${title}`);
  await work();
  signal.throwIfAborted();
  terminal.line(`${terminal.paint('good', '✓')} ${secondsSince(startedMs)}`);
}

type Place = Omit<Trial, 'engine' | 'compose'>;

/**
 * @returns what `run` returns as output
 * @throws UserError if the program fails, with its last lines
 */
async function must(place: Place, command: Words, to: 'pipe' | 'inherit' | 'log' = 'pipe'): Promise<string> {
  const { code, output } = await run(place, command, to);
  place.signal.throwIfAborted();
  if (code === 0) return output;
  const log = to === 'log' ? readFileSync(join(place.folder, 'compose.log'), 'utf8') : output;
  const said = log.trimEnd().split('\n').slice(-20).join('\n');
  throw new UserError(
    `\`${command.join(' ')}\` failed with exit code ${code}.${said === '' ? '' : `\n${said}`}`,
  );
}

/**
 * Runs a program to its end.
 * @param to `pipe`: stdout is returned, stderr is dropped. `inherit`: both appear on the terminal. `log`: both go to a
 *   file, because containers that it starts may keep a pipe open.
 */
async function run(
  { root, env, folder, signal }: Place,
  [command = '', ...args]: Words,
  to: 'pipe' | 'inherit' | 'log' = 'pipe',
): Promise<{ readonly code: number; readonly output: string }> {
  signal.throwIfAborted();
  const log = to === 'log' ? openSync(join(folder, 'compose.log'), 'w') : undefined;
  const outputs =
    to === 'pipe' ? (['pipe', 'ignore'] as const) : ([log ?? 'inherit', log ?? 'inherit'] as const);
  const child = spawnGuarded(
    command,
    args,
    { cwd: root, env: { ...env }, stdio: ['ignore', ...outputs] },
    { stop: 'SIGTERM' },
  );
  const stop = () => child.kill('SIGTERM');
  signal.addEventListener('abort', stop);
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  const code = await new Promise<number>((ended) => {
    child.once('error', () => ended(127));
    child.once('close', (exitCode) => ended(exitCode ?? 1));
  });
  signal.removeEventListener('abort', stop);
  if (log !== undefined) closeSync(log);
  return { code, output };
}
