// The log of a process as it is deployed: programs of a test around the built `log-stream.ts`, run by node alone.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll } from 'vitest';

export interface BuiltLog {
  /** Of the test's own, until its end. */
  readonly folder: string;
  /** Writes a program that has the log as `stream`; answers its path. */
  readonly programOf: (name: string, text: string) => string;
}

/** Call it at the top of a test file. */
export async function builtLog(): Promise<BuiltLog> {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-log-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  await build({
    entryPoints: [join(import.meta.dirname, '..', '..', 'telemetry', 'log-stream.ts')],
    outfile: join(folder, 'log-stream.mjs'),
    format: 'esm',
    platform: 'node',
    bundle: true,
  });
  return {
    folder,
    programOf: (name, text) => {
      const path = join(folder, `${name}.mjs`);
      const begin = `import { createLogStream } from './log-stream.mjs';\nconst stream = createLogStream();\n`;
      writeFileSync(path, begin + text);
      return path;
    },
  };
}
