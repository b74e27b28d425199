// Keeps what executions leave in the workflow engine, for the gate of changed workflows (replay.test.ts): the history
// of every path, of every release. A fresh one is replayed in any case.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { expect } from 'vitest';
import { testWorkflowBundle } from '../harness/temporal.ts';

export type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

const release = process.env['RECORD_HISTORIES'];

/** Replays the history of an execution that has ended; with RECORD_HISTORIES=<release> it is kept. */
export async function keepHistory(name: string, history: History): Promise<void> {
  const workflowBundle = await testWorkflowBundle();
  await expect(
    Worker.runReplayHistory({ workflowBundle, replayName: name }, history),
  ).resolves.toBeUndefined();
  if (release === undefined) return;
  const folder = join(import.meta.dirname, '..', 'histories', release);
  mkdirSync(folder, { recursive: true });
  const { events } = JSON.parse(historyToJSON(history)) as { readonly events: readonly unknown[] };
  const lines = events.map((event) => JSON.stringify(event, withoutTraces)).join(',\n');
  writeFileSync(join(folder, `${name}.json`), `{"events":[\n${lines}\n]}\n`);
}

/** Nothing of the machine that recorded: neither its name nor its folders. */
function withoutTraces(key: string, value: unknown): unknown {
  if (key === 'identity') return 'recorder';
  if (key === 'name' && typeof value === 'string' && /^\d+@/.test(value)) return 'sticky'; // a sticky task queue
  return key === 'stackTrace' ? undefined : value;
}
