// After vitest's own summary: how many tests passed, failed and were skipped, alone on a line, for whoever reads logs; and
// where the time went, in a file.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, ResolvedConfig, TestModule, Vitest } from 'vitest/node';

const root = join(import.meta.dirname, '..', '..');

/** A file that could not be loaded, or whose hooks failed, counts as one failed test beside those it holds. */
export class CountsReporter implements Reporter {
  #config: ResolvedConfig | undefined;

  onInit({ config }: Vitest): void {
    this.#config = config;
  }

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
      process.stdout.write(`No test ran: ${this.#whyNone(modules)}\n`);
      if (this.#config?.testNamePattern !== undefined) process.exitCode = 1; // vitest exits with 0
    }
    process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${skipped} skipped\n`);
  }

  #whyNone(modules: readonly TestModule[]): string {
    if (this.#config?.testNamePattern !== undefined)
      return 'no title has what follows -t, or all that have it are skipped';
    if (modules.length > 0) return 'all are skipped';
    return this.#config?.changed ? 'none imports your changes' : 'check the path';
  }
}

/** Seconds in all, seconds until its first test, path. */
function durationOf(module: TestModule): string {
  const { collectDuration, setupDuration, duration } = module.diagnostic();
  const start = collectDuration + setupDuration;
  const [all, before] = [start + duration, start].map((ms) => (ms / 1_000).toFixed(1).padStart(7));
  return `${all} ${before} ${module.relativeModuleId}\n`;
}
