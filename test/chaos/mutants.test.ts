// The known mistakes follow the code: each can still be made in it, and the code with it still compiles as it must.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transpileModule } from 'typescript';
import { expect, it } from 'vitest';
import { mutants } from '../../chaos/mutants/all.ts';
import { applied } from '../../chaos/mutants/mutant.ts';
import { root } from '../docs/documents.ts';

it('there are at least twenty, each with a name of its own', () => {
  expect(new Set(mutants.map((one) => one.name)).size).toBe(mutants.length);
  expect(mutants.length).toBeGreaterThanOrEqual(20);
});

it.each(mutants.map((one) => [one.name, one] as const))(
  '%s can be made in the code as it is',
  (_, { edits }) => {
    for (const edit of edits) {
      const changed = applied(readFileSync(join(root, edit.file), 'utf8'), edit);
      const { diagnostics = [] } = transpileModule(changed, { reportDiagnostics: true });
      expect(diagnostics.map((one) => one.messageText)).toEqual([]);
    }
  },
);
