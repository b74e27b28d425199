/**
 * Files that `npm test` leaves to `npm run test:all`, unless they are named: they wait for long time limits, start whole
 * systems, or try thousands of generated messages. `npm test` covers every rule without them (test/docs/rules.test.ts).
 */
export const onlyInAll = [
  'test/{chaos,deploy,faults,fuzz,model}/**',
  'test/bench/{leftovers,own-databases}.test.ts',
  'test/cli/{demo,interrupted,unusable,wrong-options}.test.ts',
  'test/cli/parts/claim.test.ts',
  'test/docs/commands.test.ts',
  'test/harness/after-a-stall.test.ts',
  'test/system/{second-engine,set-up-a-scheme,signed-heads}.test.ts',
  'test/telemetry/{traces-as-built,traces-beside}.test.ts',
  'test/workflows/{at-once,changed-workflows,daily-books,record-histories,resolution-resumed}.test.ts',
  'test/xml/{engine,generated,guideline}.test.ts',
];

/** `quick`: without those files; `all`: with every sample; `named` or undefined: the named files, with few samples. */
const { TESTS } = process.env;

export const leftOut = TESTS === 'quick' ? onlyInAll : [];

/** Number of samples: `all` in `npm run test:all`, else `few`. */
export const samples = (few: number, all: number) => (TESTS === 'all' ? all : few);
