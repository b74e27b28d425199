// The known mistakes follow the code: each can still be made in it, and the code with it still compiles as it must.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transpileModule } from 'typescript';
import { expect, it } from 'vitest';
import { mutants } from '../../chaos/mutants/all.ts';
import { planted, seamsIn } from '../../chaos/mutants/tree.ts';
import { root } from '../docs/documents.ts';

const seams = seamsIn(root);

it('each has a name of its own, and each seam of the code is that of one mistake', () => {
  expect(new Set(mutants.map((one) => one.name)).size).toBe(mutants.length);
  const used = mutants.flatMap(({ lines }) => Object.keys(lines));
  expect(used.sort()).toEqual(seams.map(({ name }) => name).sort());
});

it.each(mutants.map((one) => [one.name, one] as const))(
  '%s can be made in the code as it is',
  (_, { lines }) => {
    for (const seam of seams.filter(({ name }) => lines[name] !== undefined)) {
      const mistaken = planted(readFileSync(join(root, seam.file), 'utf8'), seam, lines[seam.name] ?? '');
      const { diagnostics = [] } = transpileModule(mistaken, { reportDiagnostics: true });
      expect(diagnostics.map((one) => one.messageText)).toEqual([]);
    }
  },
);
