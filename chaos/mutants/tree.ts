// Copies the project's code and builds a mistake into the copy. A mistake replaces a line that ends with a comment
// `seam: NAME`. The comment marks the line even if the code changes.
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A line of the code that a mistake may replace. */
interface Seam {
  readonly name: string;
  /** Path relative to the project's folder. */
  readonly file: string;
  /** Counted from 0. */
  readonly line: number;
}

/**
 * Folders that are not copied, because the processes under test do not need them. Everything else is copied, including
 * new folders.
 */
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

/** The text with the seam's line replaced by the mistake. */
function planted(text: string, { line }: Seam, mistake: string): string {
  return text
    .split('\n')
    .map((one, index) => (index === line ? mistake : one))
    .join('\n');
}

/**
 * @param folder of the copy; it is created
 * @param lines of the mistake, by seam
 * @throws Error unless each seam exists exactly once
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
    // a mistake is one line, so the numbers of other lines stay the same
    writeFileSync(path, planted(readFileSync(path, 'utf8'), seam, mistake));
  }
  return folder;
}
