// After vitest's own summary: how many tests passed, failed and were skipped, alone on a line, for whoever reads logs; and
// where the time went, in a file.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const root = join(import.meta.dirname, '..', '..');

/** A file that could not be loaded, or whose hooks failed, counts as one failed test beside those it holds. */
export class CountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: errors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) counts[test.result().state] += 1;
      counts.failed += module.errors().length;
      for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
    }
    writeFileSync(
      join(root, '.isthmus', 'test-durations.txt'),
      modules.map(durationOf).sort().reverse().join(''),
    );
    const skipped = counts.skipped + counts.pending;
    if (counts.passed + counts.failed === 0) {
      process.stdout.write('No test ran: check the path and, after -t, the words of the title\n');
      if (modules.length > 0) process.exitCode = 1; // vitest takes a title that no test has for success
    }
    process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${skipped} skipped\n`);
  }
}

/** Seconds in all, seconds until its first test, path. */
function durationOf(module: TestModule): string {
  const { collectDuration, setupDuration, duration } = module.diagnostic();
  const start = collectDuration + setupDuration;
  const [all, before] = [start + duration, start].map((ms) => (ms / 1_000).toFixed(1).padStart(7));
  return `${all} ${before} ${module.relativeModuleId}\n`;
}
