// A folder is moved away from under a running demo, and an empty one is there instead: the demo ends, and leaves nothing.
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { testDatabase } from '../harness/database.ts';
import { testTemporal } from '../harness/temporal.ts';
import { commandFolder } from './command.ts';

const database = await testDatabase();
const temporal = await testTemporal();
const place = await commandFolder({ hasStarted: true });
const moved = `${place.folder}-moved`;
afterAll(() => {
  place.remove();
  rmSync(moved, { recursive: true, force: true });
});

test('a demo whose folder is moved ends, says why, and writes nothing at its old place', async () => {
  const demo = place.runWith({ DATABASE_URL: database.url, TEMPORAL_ADDRESS: temporal.address }, 'start');
  await demo.says('Isthmus runs until Ctrl-C.');
  renameSync(place.folder, moved);
  mkdirSync(place.folder);
  expect(await demo.ended, demo.output()).toBe(1);
  expect(demo.output()).toContain(`✗ ${place.folder} was moved, removed or emptied while Isthmus ran on it.`);
  expect(readdirSync(place.folder)).toEqual([]);
}, 60_000);
