// A copy of the project's code with a mistake in it. A mistake takes the place of a line that ends with a comment
// `seam: NAME`, so that no change of the code around it, or of the line itself, loses it.
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A line of the code that mistakes may replace. */
interface Seam {
  readonly name: string;
  /** From the project's folder. */
  readonly file: string;
  /** From 0. */
  readonly line: number;
}

/** What the processes under test are not built from; whatever is new in the project comes along. */
const leftOut: ReadonlySet<string> = new Set(['node_modules', 'dist', 'docs', 'test', 'coverage']);

const isLeftOut = (name: string) => name.startsWith('.') || leftOut.has(name);

function seamsIn(root: string): readonly Seam[] {
  const files = globSync('*/**/*.ts', { cwd: root, exclude: isLeftOut });
  return files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((text, line) => {
        const [, name] = /\bseam: ([a-z-]+)$/.exec(text) ?? [];
        return name === undefined ? [] : [{ name, file, line }];
      }),
  );
}

/** A text with another line in the place of a seam. */
function planted(text: string, { line }: Seam, mistake: string): string {
  return text
    .split('\n')
    .map((one, index) => (index === line ? mistake : one))
    .join('\n');
}

/**
 * @param folder made here
 * @param lines of the mistake, by seam
 * @throws Error unless each seam is there exactly once
 */
export function copyTree(root: string, folder: string, lines: Readonly<Record<string, string>>): string {
  const seams = seamsIn(root);
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(root).filter((one) => !isLeftOut(one)))
    cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const [name, mistake] of Object.entries(lines)) {
    const [seam, other] = seams.filter((one) => one.name === name);
    if (seam === undefined || other !== undefined)
      throw new Error(`The code must have one line that ends with "seam: ${name}".`);
    const path = join(folder, seam.file);
    // each is one line, so that the numbers of the others stay
    writeFileSync(path, planted(readFileSync(path, 'utf8'), seam, mistake));
  }
  return folder;
}
