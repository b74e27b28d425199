// The recorded evidence of a clean run (clean-run.test.ts keeps it), unpacked, for tests that judge it as it is or
// altered.
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** Writes the files into a folder of their own; answers its path. */
export function unpackCleanEvidence(): string {
  const packed = readFileSync(join(import.meta.dirname, 'fixtures', 'clean', 'evidence.json.gz'));
  const files = JSON.parse(gunzipSync(packed).toString('utf8')) as Record<string, string>;
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-clean-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}
