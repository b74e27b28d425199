// Once per test run, in vitest's own process: offers the real servers to the test files. Each is started when the
// first file asks for it, so that a run of pure tests costs nothing. A server that cannot be had fails that file.
import { randomUUID } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';
import { entries } from '../../cli/entries.mjs';
import { startPostgres, withClient } from '../../cli/parts/postgres.ts';
import { sayOnTerminal } from '../../cli/parts/progress.ts';
import { startTemporal } from '../../cli/parts/temporal.ts';
import { makeThrowaway, removeLeftovers, removeThrowaway } from '../../cli/parts/throwaway-folders.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the test files ask for servers; see the offers below. */
    harnessUrl: string;
  }
}

/** What a test file gets from `GET /<name>`. */
export interface Offers {
  readonly database: {
    /** A database of the server, from which others can be created and dropped. */
    readonly serverUrl: string;
    /** A migrated and seeded database that nobody is connected to. */
    readonly template: string;
    /** Of a server that was started for the run. */
    readonly logFile?: string;
    /** Of such a one, its files. */
    readonly dataFolder?: string;
  };
  readonly temporal: { readonly address: string };
  readonly 'workflow-bundle': { readonly codePath: string };
  /** Processes that tests start, built as in the container image: `<name>.js` in this folder. */
  readonly processes: { readonly dist: string };
  /** The command line, built: `main.js` and `ops.js` in this folder. */
  readonly commands: { readonly dist: string };
}

type Offer<Name extends keyof Offers> = { readonly offer: Offers[Name]; stop(): Promise<void> };

const root = resolve(import.meta.dirname, '..', '..');
const isthmus = join(root, '.isthmus');
const { env } = process;

/** Called by vitest before the first test file; what it returns runs after the last one. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  mkdirSync(isthmus, { recursive: true });
  for (const why of removeLeftovers(isthmus, 'test').left) process.stderr.write(`${why}\n`);
  const own = makeThrowaway(isthmus, { kind: 'test', name: 'servers' });
  const scratch = mkdtempSync(join(tmpdir(), 'isthmus-test-'));
  chmodSync(scratch, 0o755); // Postgres of root has a user of its own
  env['TMPDIR'] = scratch; // where tests put what they leave behind
  const { folder } = own;
  const makers: { readonly [Name in keyof Offers]: () => Promise<Offer<Name>> } = {
    database: () => offerDatabase(folder),
    temporal: () => offerTemporal(folder),
    'workflow-bundle': () => offerBundle(folder),
    processes: () => offerProcesses(folder),
    commands: () => offerCommands(join(folder, 'commands')),
  };
  const made = new Map<keyof Offers, Promise<Offer<keyof Offers>>>();
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const name = request.url?.slice(1) ?? '';
    if (!isOffer(name)) throw new Error(`the test harness offers no ${name}`);
    let offer = made.get(name);
    if (offer === undefined) made.set(name, (offer = makers[name]()));
    response.setHeader('content-type', 'application/json').end(JSON.stringify((await offer).offer));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.statusCode = 500;
      response.end(error instanceof Error ? (error.stack ?? error.message) : String(error));
    });
  });
  server.keepAliveTimeout = 3_600_000; // no file meets a connection that is just closing
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the test harness has no port');
  project.provide('harnessUrl', `http://127.0.0.1:${address.port}`);
  return async () => {
    server.closeAllConnections();
    server.close();
    for (const offer of made.values()) await offer.then((one) => one.stop()).catch(() => undefined);
    removeThrowaway(own);
    rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
  };

  function isOffer(name: string): name is keyof Offers {
    return name in makers;
  }
}

async function offerDatabase(folder: string): Promise<Offer<'database'>> {
  const server = await startPostgres({ env, folder, database: 'isthmus', say: sayOnTerminal });
  const template = `isthmus_template_${randomUUID().slice(0, 8)}`;
  await withClient(server.url, (client) => client.query(`create database ${template}`));
  const url = new URL(server.url);
  url.pathname = `/${template}`;
  const { migrate } = await import('../../db/migrations/migrate.ts');
  const { seed } = await import('../../db/seed.ts');
  await migrate(url.href);
  await seed(url.href);
  return {
    offer: {
      serverUrl: server.url,
      template,
      ...(server.logFile !== undefined && { logFile: server.logFile }),
      ...(server.dataFolder !== undefined && { dataFolder: server.dataFolder }),
    },
    stop: async () => {
      await withClient(server.url, (client) => client.query(`drop database ${template} with (force)`));
      await server.stop();
    },
  };
}

async function offerTemporal(folder: string): Promise<Offer<'temporal'>> {
  const { searchAttributes } = await import('../../contract/ids.ts');
  const server = await startTemporal({
    env,
    folder,
    binFolder: join(isthmus, 'bin'),
    storage: 'memory',
    searchAttributes: Object.values(searchAttributes),
    ui: false,
    say: sayOnTerminal,
  });
  return { offer: { address: server.address }, stop: () => server.stop() };
}

async function offerBundle(folder: string): Promise<Offer<'workflow-bundle'>> {
  const { bundleWorkflows } = await import('../../cli/bundle-workflows.mjs');
  const codePath = join(folder, 'workflow-bundle.js');
  await bundleWorkflows(codePath);
  return { offer: { codePath }, stop: () => Promise.resolve() };
}

async function offerProcesses(folder: string): Promise<Offer<'processes'>> {
  const { buildImage } = await import('../../cli/image.ts');
  const dist = await buildImage(root, join(folder, 'image'), {
    api: entries.api,
    'worker-program': 'test/harness/worker-program.ts',
  });
  return { offer: { dist }, stop: () => Promise.resolve() };
}

/** What the bundler of the workflows reads, and follows no link to. */
const bundled: readonly string[] = ['workflows', 'core', 'contract'];

/** In a folder that looks like the project, for the command line builds and bundles what stands beside it. */
async function offerCommands(folder: string): Promise<Offer<'commands'>> {
  const { build } = await import('esbuild');
  const { asInImage } = await import('../../cli/entries.mjs');
  const dist = join(folder, 'dist');
  mkdirSync(dist, { recursive: true });
  for (const name of readdirSync(root).filter((one) => !one.startsWith('.') && one !== 'dist')) {
    if (bundled.includes(name)) cpSync(join(root, name), join(folder, name), { recursive: true });
    else symlinkSync(join(root, name), join(folder, name));
  }
  await build({
    absWorkingDir: root,
    entryPoints: { main: 'cli/main.ts', ops: 'cli/ops/main.ts' },
    outdir: dist,
    ...asInImage,
    splitting: true, // a command loads what it needs itself
  });
  return { offer: { dist }, stop: () => Promise.resolve() };
}
