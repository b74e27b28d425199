// Replays the recorded histories of every release with today's workflow code: no running payment breaks on a deploy.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { testWorkflowBundle } from '../harness/temporal.ts';
import { historiesOf, recordedReleases, replay } from './replaying.ts';

const refusals = await replay(await testWorkflowBundle());

/** Every path that an execution may take; each release has them all. */
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
  'told-by-a-queue',
  'redelivery',
  'resolution-proxy',
  'resolution-account',
  'resolution-not-registered',
  'resolution-refused',
  'resolution-deadline',
  'resolution-refused-repeat',
  'in-doubt',
  'continues-as-new',
  'continued',
];

/** Those that were recorded later: from that release on, each has them. */
const laterPaths: readonly { readonly path: string; readonly since: string }[] = [
  { path: 'ended-by-its-send', since: '1.0.0' },
  { path: 'told-after-its-send', since: '1.0.0' },
  { path: 'shown-after-its-send', since: '1.0.0' },
];

/** Releases of which nothing can be running any more, whose histories were removed (test/histories/README.md). */
const ended: readonly string[] = [];

test('every release whose payments may still be running has its histories, this one too', () => {
  const changelog = readFileSync(join(import.meta.dirname, '..', '..', 'CHANGELOG.md'), 'utf8');
  const released = [...changelog.matchAll(/^## (\d+\.\d+\.\d+)/gm)].map(([, version]) => version ?? '');
  expect(released).toContain(packageJson.version);
  expect(recordedReleases.toSorted()).toEqual(released.filter((one) => !ended.includes(one)).sort());
});

describe.each(recordedReleases)('a payment that release %s started', (release) => {
  test('is recorded on every path, and on no path that nobody names', () => {
    const isKept = ({ since }: (typeof laterPaths)[number]) =>
      release.localeCompare(since, 'en', { numeric: true }) >= 0;
    const kept = [...paths, ...laterPaths.filter(isKept).map(({ path }) => path)];
    expect(historiesOf(release).toSorted()).toEqual(kept.map((path) => `${release}/${path}`).sort());
  });

  test.each(historiesOf(release))('goes on under this code: %s', (name) => {
    expect(refusals.has(name)).toBe(true);
    expect(refusals.get(name)).toBeUndefined();
  });
});
