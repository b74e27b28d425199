// How the tests run: real servers shared by the whole run. First those that mostly wait for time limits, five at once;
// then those that keep the processors busy, three at once; three at once again, those that mostly wait and whose limits are
// of seconds; and alone, those that hold the product to a single second while it has much to do. On a slow machine fewer
// run at once.
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { CountsReporter } from './test/harness/counts-reporter.ts';
import { LongestFirst } from './test/harness/longest-first.ts';
import { speedOfMachine } from './test/harness/machine.ts';
import { leftOut } from './test/harness/only-in-all.ts';

const waiting = [
  'test/faults/**/*.test.ts',
  'test/api/payments/{payments,prefer-wait}.test.ts',
  'test/chaos/{drills,fault-proxy,minute}.test.ts',
  'test/cli/{demo,ops-tail,unusable}.test.ts',
  'test/docs/commands.test.ts',
  'test/system/{corridors,logs,notification-queue}.test.ts',
  'test/telemetry/{traces-as-built,traces-beside}.test.ts',
  'test/workflows/{changed-workflows,daily-books,operators-view,payment,payment-*,record-histories}.test.ts',
  'test/workflows/{resolution-faults,resolution-killed,resolution-resumed,worker-killed}.test.ts',
];

/** They wait for limits that a busy machine would miss, and leave the processors free meanwhile. */
const withinSeconds = [
  'test/api/{auth/withdrawn,input/tiny-chunks,limits/two-processes,reference/reference-data}.test.ts',
  'test/db/pool/connection-silent.test.ts',
  'test/faults/{engine-away,killed-*,lost-executions,own-faults,scheme-changed-under-load}.test.ts',
  'test/faults/{slow-engine-flood,stopped-processes}.test.ts',
  'test/workflows/resolution.test.ts',
];

/** A machine that is busy with something else takes that second away, or what one party gets beside another. */
const withinASecond = [
  'test/activities/wire/interim-flood.test.ts',
  'test/faults/{costly-messages,floods,many-questions}.test.ts',
];

const common = {
  pool: 'forks', // native modules (Temporal's core, libxml2) want a process, not a thread
  isolate: false, // a process runs one file after the other: loading all modules anew for each cost an eighth of the run
  testTimeout: 240_000, // judges nothing: only what hangs takes so long
  expect: { poll: { timeout: 45_000 } }, // as long as eventually() waits; a bound names its own
  hookTimeout: 240_000, // a server's start included
  teardownTimeout: 60_000,
} as const;

const speed = await speedOfMachine();
const isSlow = speed < 0.6; // a quick one gives 0.7 beside something that uses one of two cores
const isVerySlow = speed < 0.3;
if (isSlow) {
  const share = `${(100 * speed).toFixed(0)} %`;
  process.stderr.write(`· This machine gives ${share} of a quick one: fewer files run at once\n`);
}

const projects: TestProjectInlineConfiguration[] = [
  {
    test: {
      ...common,
      name: 'waiting',
      include: waiting,
      exclude: [...withinSeconds, ...withinASecond, ...leftOut],
      maxWorkers: isVerySlow ? 2 : isSlow ? 3 : 5,
      sequence: { groupOrder: 0 },
    },
  },
  {
    test: {
      ...common,
      name: 'busy',
      include: ['test/**/*.test.ts'],
      exclude: [...waiting, ...withinSeconds, ...withinASecond, ...leftOut],
      maxWorkers: isVerySlow ? 2 : 3, // two cores, and what waits for a process that starts
      sequence: { groupOrder: 1 },
    },
  },
  {
    test: {
      ...common,
      name: 'seconds',
      include: withinSeconds,
      exclude: [...leftOut],
      maxWorkers: isSlow ? 2 : 3,
      sequence: { groupOrder: 2 },
    },
  },
  {
    test: {
      ...common,
      name: 'alone',
      include: withinASecond,
      exclude: [...leftOut],
      maxWorkers: 1,
      sequence: { groupOrder: 3 },
    },
  },
];

export default defineConfig({
  test: {
    projects,
    globalSetup: ['test/harness/global-setup.ts'],
    retry: 0,
    sequence: { sequencer: LongestFirst },
    slowTestThreshold: 2_000, // slower tests are named with their time
    reporters: ['default', new CountsReporter()],
    // A client of Temporal that is closed while a call of it waits for its next try throws from a timer
    // (@temporalio/client, grpc-retry.js), in whatever file the process runs by then. Nobody waits for that call any
    // more.
    onUnhandledError: ({ message, stack = '' }) =>
      !(message === 'Channel has been shut down' && /client[\\/]lib[\\/]grpc-retry/.test(stack)),
  },
});
