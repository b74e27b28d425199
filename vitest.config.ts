// How the tests run: real servers shared by the whole run, one process per file, two files at once.
import { defineConfig } from 'vitest/config';
import { CountsReporter } from './test/harness/counts-reporter.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/harness/global-setup.ts'],
    pool: 'forks', // native modules (Temporal's core, libxml2) want a process, not a thread
    maxWorkers: 2, // cores; more would make deadlines miss
    retry: 0,
    testTimeout: 60_000, // a whole payment on a busy machine
    expect: { poll: { timeout: 15_000 } }, // what is waited for comes later on a busy machine; a bound names its own
    hookTimeout: 120_000, // a server's start included
    teardownTimeout: 30_000,
    slowTestThreshold: 2_000, // slower tests are named with their time
    reporters: ['default', new CountsReporter()],
  },
});
