// The list of migrations, by name: a static list, so that a bundled build carries them.
import type { Migration } from 'kysely/migration';
import * as baseline from './0001-baseline.ts';

export const migrations: Record<string, Migration> = {
  '0001-baseline': baseline,
};
