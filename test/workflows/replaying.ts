// The judge of every change to a workflow: the histories that were recorded for each release, and what happens when
// workflow code is replayed on them. The same for the code as it is and for code that a test has changed.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IllegalStateError } from '@temporalio/common';
import {
  DefaultLogger,
  makeTelemetryFilterString,
  Runtime,
  Worker,
  type WorkflowBundleOption,
} from '@temporalio/worker';

const folder = join(import.meta.dirname, '..', 'histories');

// what is refused is told by its result
try {
  Runtime.install({
    logger: new DefaultLogger('ERROR', () => undefined),
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }), forward: {} },
    },
  });
} catch (error) {
  if (!(error instanceof IllegalStateError)) throw error; // another test file of this process has one, which only says more
}

/** The releases whose payments may still be running. */
export const recordedReleases: readonly string[] = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** Names of the histories of a release, as `1.0.0/deadline`. */
export function historiesOf(release: string): readonly string[] {
  return readdirSync(join(folder, release)).map((file) => `${release}/${file.replace(/\.json$/, '')}`);
}

/** What becomes of a history under other code; undefined: it goes on. */
export type Refusals = ReadonlyMap<string, string | undefined>;

/**
 * Replays histories, and tells why code cannot go on with one: it would give other commands, or the same in another
 * order.
 */
export async function replay(
  workflowBundle: WorkflowBundleOption,
  names: readonly string[] = recordedReleases.flatMap(historiesOf),
): Promise<Refusals> {
  const histories = names.map((name) => ({
    workflowId: name,
    history: JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as unknown,
  }));
  const refusals = new Map<string, string | undefined>();
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, histories)) {
    refusals.set(workflowId, error && `${error.name}: ${error.message}`);
  }
  return refusals;
}
