// What a running demo tells other commands: its addresses, in `.isthmus/run.json`. A demo that was killed leaves it
// behind, so whoever reads it asks the api whether it is still so.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { codeOf, fileReason, UserError } from '../errors.ts';

const runFile = z.object({
  /** What the api of this very demo says of itself: another Isthmus may hold its port by now. */
  instanceId: z.string(),
  apiUrl: z.string(),
  /** Absent: an existing Temporal server whose UI we do not know. */
  temporalUiUrl: z.string().optional(),
  temporalAddress: z.string(),
  temporalNamespace: z.string(),
  databaseUrl: z.string(),
  /** Base addresses of the sandbox's servers. */
  sandbox: z.object({ source: z.string(), destination: z.string(), fxProvider: z.string() }),
  /** Where api and worker tell Prometheus of themselves. */
  metrics: z.object({ api: z.string(), worker: z.string() }),
  journalDirectory: z.string(),
  logDirectory: z.string(),
  /** A person's own base addresses, by operator id and BIC: who listens there writes no journal of ours. */
  replaced: z.object({
    operators: z.record(z.string(), z.string()),
    fxps: z.record(z.string(), z.string()),
  }),
  /** Process numbers by name; a restart changes them. */
  pids: z.record(z.string(), z.number()),
});
export type RunFile = z.infer<typeof runFile>;

const pathIn = (folder: string) => join(folder, 'run.json');

/** Readable by its owner only: it holds the database's password. */
export function writeRunFile(folder: string, values: RunFile): void {
  const unfinished = `${pathIn(folder)}.new`;
  writeFileSync(unfinished, `${JSON.stringify(values, null, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, pathIn(folder));
}

export function removeRunFile(folder: string): void {
  rmSync(pathIn(folder), { recursive: true, force: true }); // whatever it is
}

/**
 * @returns undefined when none was written
 * @throws UserError when there is one that cannot be read, or was not written by this version
 */
function readRunFile(folder: string): RunFile | undefined {
  try {
    return runFile.parse(JSON.parse(readFileSync(pathIn(folder), 'utf8')));
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const reason = fileReason(error) ?? 'it was not written by this version';
    throw new UserError(
      `${pathIn(folder)}, which says where the demo is running, cannot be read: ${reason}. Stop the demo if it is running, remove the file, and start again with npm start.`,
    );
  }
}

/** @throws UserError when no demo runs on the folder, or it is not up; also when another Isthmus answers at its address */
export async function findRunningDemo(folder: string): Promise<RunFile> {
  const run = readRunFile(folder);
  if (run === undefined) {
    throw new UserError(
      `No demo is running on ${folder}. Start one in another terminal with npm start (or npm run demo), and wait until it says that Isthmus is up.`,
    );
  }
  switch (await whoAnswers(healthOf(run), run.instanceId)) {
    case 'it':
      return run;
    case 'another':
      throw new UserError(
        `No demo is running on ${folder}: another program, or another Isthmus, answers at ${run.apiUrl}. Start one in another terminal with npm start.`,
      );
    case 'nobody':
      throw new UserError(
        `The demo on ${folder} does not answer at ${run.apiUrl}. If it runs, its api is being started: run this again in some seconds; ${run.logDirectory} says why. Else start it with npm start.`,
      );
  }
}

/** Where the api of a demo says which it is. */
export const healthOf = ({ apiUrl }: Pick<RunFile, 'apiUrl'>): string => `${apiUrl}/health/live`;

/** @param healthUrl where a process of a demo says which demo it belongs to */
export async function whoAnswers(
  healthUrl: string,
  instanceId: string,
): Promise<'it' | 'another' | 'nobody'> {
  try {
    const response = await fetch(healthUrl, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return response.headers.get('isthmus-instance') === instanceId ? 'it' : 'another';
  } catch {
    return 'nobody';
  }
}

/** What the list shows; operators put more after it (docs/operations/postgres-and-temporal.md). */
const everyPayment = 'WorkflowType = "payment"';

/** The list of all payments; undefined for a Temporal server whose UI we do not know. */
export function paymentsUrl({ temporalUiUrl, temporalNamespace }: RunFile): string | undefined {
  if (temporalUiUrl === undefined) return undefined;
  return `${temporalUiUrl}/namespaces/${temporalNamespace}/workflows?query=${encodeURIComponent(everyPayment)}`;
}

/** One payment; undefined as above. */
export function paymentUrl({ temporalUiUrl, temporalNamespace }: RunFile, uetr: string): string | undefined {
  if (temporalUiUrl === undefined) return undefined;
  return `${temporalUiUrl}/namespaces/${temporalNamespace}/workflows/${encodeURIComponent(`pacs008/${uetr}`)}`;
}
