// Reads and writes `.isthmus/run.json`, which tells other commands the addresses of the running demo. A
// killed demo leaves the file behind, so a reader must ask the api whether the demo still runs.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { codeOf, fileReason, UserError } from '../errors.ts';

const runFile = z.object({
  /** Id that the api of this demo returns. Another Isthmus that uses the port by now returns another id. */
  instanceId: z.string(),
  apiUrl: z.string(),
  /** Absent for an external Temporal server whose UI address is unknown. */
  temporalUiUrl: z.string().optional(),
  temporalAddress: z.string(),
  temporalNamespace: z.string(),
  databaseUrl: z.string(),
  /** Base addresses of the sandbox's servers. */
  sandbox: z.object({ source: z.string(), destination: z.string(), fxProvider: z.string() }),
  /** Metrics endpoints of api and worker, for Prometheus. */
  metrics: z.object({ api: z.string(), worker: z.string() }),
  journalDirectory: z.string(),
  logDirectory: z.string(),
  /**
   * Base addresses of the user's own servers that replace sandbox parties, by operator id and BIC. The
   * commands cannot read the journals of these parties.
   */
  replaced: z.object({
    operators: z.record(z.string(), z.string()),
    fxps: z.record(z.string(), z.string()),
  }),
  /** Process ids by process name. An id changes when its process restarts. */
  pids: z.record(z.string(), z.number()),
});
export type RunFile = z.infer<typeof runFile>;

const pathIn = (folder: string) => join(folder, 'run.json');

/** Writes the run file. Only the owner may read it, because it contains the database's password. */
export function writeRunFile(folder: string, values: RunFile): void {
  const unfinished = `${pathIn(folder)}.new`;
  writeFileSync(unfinished, `${JSON.stringify(values, null, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, pathIn(folder));
}

export function removeRunFile(folder: string): void {
  rmSync(pathIn(folder), { recursive: true, force: true }); // recursive, in case the path is a directory
}

/**
 * @returns undefined if there is no run file
 * @throws UserError if the file cannot be read, or another version of Isthmus wrote it
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

/**
 * @throws UserError if no demo uses the folder, the demo is still starting, or another Isthmus answers at its
 *   address
 */
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

/** Health address of the demo's api. The answer contains the instance id. */
export const healthOf = ({ apiUrl }: Pick<RunFile, 'apiUrl'>): string => `${apiUrl}/health/live`;

/** @param healthUrl address whose answer contains the instance id */
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

/**
 * Temporal's query for all payments. Operators extend the query in the UI
 * (docs/operations/postgres-and-temporal.md).
 */
const everyPayment = 'WorkflowType = "payment"';

/** Address of the list of all payments in Temporal's UI; undefined if the address of the UI is unknown. */
export function paymentsUrl({ temporalUiUrl, temporalNamespace }: RunFile): string | undefined {
  if (temporalUiUrl === undefined) return undefined;
  return `${temporalUiUrl}/namespaces/${temporalNamespace}/workflows?query=${encodeURIComponent(everyPayment)}`;
}

/** Address of one payment in Temporal's UI; undefined if the address of the UI is unknown. */
export function paymentUrl({ temporalUiUrl, temporalNamespace }: RunFile, uetr: string): string | undefined {
  if (temporalUiUrl === undefined) return undefined;
  return `${temporalUiUrl}/namespaces/${temporalNamespace}/workflows/${encodeURIComponent(`pacs008/${uetr}`)}`;
}
