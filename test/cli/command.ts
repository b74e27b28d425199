// Runs commands of the command line as a person does, in a folder of their own, and reads what they print. They run
// built, in less than half the processor time that their sources take; what `npm` starts from a clone runs its sources.
import { spawn, type ChildProcess } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { claimName } from '../../cli/parts/claim.ts';
import { findTemporal } from '../../cli/parts/temporal-binary.ts';
import { postgresFolders } from '../../cli/parts/postgres-home.ts';
import type { RunFile } from '../../cli/demo/run-file.ts';
import { workflowBundleName } from '../../cli/workflow-bundle.ts';
import { askFor } from '../harness/offers.ts';

const root = resolve(import.meta.dirname, '..', '..');

export interface RunningCommand {
  readonly child: ChildProcess;
  /** Everything printed so far. */
  output(): string;
  /** Exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>;
  /** @throws with the output when the command ends before it has said so */
  says(words: string): Promise<void>;
}

export interface CommandFolder {
  readonly folder: string;
  /** What makes other programs use the folder. */
  readonly env: NodeJS.ProcessEnv;
  readonly run: (...args: readonly string[]) => RunningCommand;
  /** With more variables, or others. */
  readonly runWith: (more: NodeJS.ProcessEnv, ...args: readonly string[]) => RunningCommand;
  /** From the sources of a copy of the project, as `npm` does in a clone. */
  readonly runIn: (project: string, more: NodeJS.ProcessEnv, ...args: readonly string[]) => RunningCommand;
  /** Runs it to its end. */
  readonly finish: (
    ...args: readonly string[]
  ) => Promise<{ readonly code: number | null; readonly output: string }>;
  /** What the running demo wrote for other commands. */
  readonly runFile: () => RunFile;
  /** Removes everything, and ends a command that still runs. */
  readonly remove: () => void;
}

/**
 * With the Temporal server that an earlier command fetched, so that nothing is fetched here.
 * @param options.hasStarted has the workflow bundle too, as after a first start
 */
export async function commandFolder({ hasStarted = false } = {}): Promise<CommandFolder> {
  const binFolder = join(root, '.isthmus', 'bin');
  const temporal = await findTemporal({ env: process.env, binFolder, say: () => undefined });
  const { dist } = await askFor('commands');
  const built = ([name = '']: readonly string[]) =>
    name === 'bench' || name === 'drill'
      ? sources([name])
      : [join(dist, ['ops', 'admin', 'audit', 'size'].includes(name) ? 'ops.js' : 'main.js')];
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-command-'));
  if (hasStarted) {
    const { codePath } = await askFor('workflow-bundle');
    copyFileSync(codePath, join(folder, workflowBundleName(root)));
    writeFileSync(join(folder, claimName), '', { mode: 0o600 });
  }
  const env: NodeJS.ProcessEnv = { ...process.env, ISTHMUS_HOME: folder, TEMPORAL_CLI: temporal };
  for (const name of ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'NODE_ENV']) env[name] = ''; // vitest's, or a person's
  const started: RunningCommand[] = [];
  const start = (
    program: readonly string[],
    more: NodeJS.ProcessEnv,
    cwd: string,
    args: readonly string[],
  ) => {
    const command = follow({ ...env, ...more }, program, args, cwd);
    started.push(command);
    return command;
  };
  const runWith = (more: NodeJS.ProcessEnv, ...args: readonly string[]) =>
    start(built(args), more, root, args);
  const run = (...args: readonly string[]) => runWith({}, ...args);
  return {
    folder,
    env,
    run,
    runWith,
    runIn: (project, more, ...args) => start(sources(args), more, project, args),
    finish: async (...args) => {
      const command = run(...args);
      const code = await command.ended;
      return { code, output: command.output() };
    },
    runFile: () => JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')) as RunFile,
    remove: () => {
      for (const { child } of started) child.kill('SIGKILL'); // what it started is stopped by its guards
      for (const path of [...postgresFolders(join(folder, 'postgres')), folder])
        rmSync(path, { recursive: true, force: true });
    },
  };
}

/** As cli/bootstrap.mjs chooses. */
const mains: Readonly<Partial<Record<string, string>>> = {
  bench: 'bench/main.ts',
  drill: 'chaos/main.ts',
  ops: 'cli/ops/main.ts',
  admin: 'cli/ops/main.ts',
  size: 'cli/ops/main.ts',
};

const sources = ([name = '']: readonly string[]) => [mains[name] ?? 'cli/main.ts'];

function follow(
  env: NodeJS.ProcessEnv,
  program: readonly string[],
  args: readonly string[],
  cwd: string,
): RunningCommand {
  const child = spawn(process.execPath, [...program, ...args], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      for (const listener of listeners) listener();
    });
  }
  const ended = new Promise<number | null>((done) => child.once('close', done));
  return {
    child,
    output: () => text,
    ended,
    says: (words) =>
      Promise.race([
        new Promise<void>((heard) => {
          const listen = () => {
            if (text.includes(words)) heard();
          };
          listeners.add(listen);
          listen();
        }),
        ended.then((code) => {
          throw new Error(`${args.join(' ')} ended with ${String(code)} and never said "${words}":\n${text}`);
        }),
      ]),
  };
}
