// Replays the recorded histories of every release with today's workflow code: no running payment breaks on a deploy.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { describe, expect, test } from 'vitest';
import { testWorkflowBundle } from '../harness/temporal.ts';

const histories = join(import.meta.dirname, '..', 'histories');
const releases = readdirSync(histories, { withFileTypes: true }).filter((entry) => entry.isDirectory());
Runtime.install({ logger: new DefaultLogger('ERROR') });
const workflowBundle = await testWorkflowBundle();

describe.each(releases.map((release) => release.name))('a payment that release %s started', (release) => {
  const files = readdirSync(join(histories, release));

  test('is recorded on every path', () => {
    expect(files).toEqual(expect.arrayContaining(paths.map((path) => `${path}.json`)));
  });

  test.each(files)('goes on under this code: %s', async (file) => {
    const history: unknown = JSON.parse(readFileSync(join(histories, release, file), 'utf8'));
    await Worker.runReplayHistory({ workflowBundle, replayName: file }, history);
  });
});

const paths = [
  'accepted-at-once',
  'accepted-later',
  'rejected-by-the-destination',
  'rejected-at-validation',
  'deadline',
  'enquiry-while-waiting',
  'refused-repeat',
  'callback-comes-back',
  'destination-comes-back',
  'redelivery',
  'resolution-proxy',
  'resolution-account',
  'resolution-not-registered',
  'resolution-refused',
  'resolution-deadline',
  'resolution-refused-repeat',
];
