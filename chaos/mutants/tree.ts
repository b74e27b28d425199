// Copies the project's code and builds a mistake into the copy. The mistake replaces a line that ends with a
// comment `seam: NAME`. The comment identifies the line even after other changes of the code.
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A line of code that a mistake may replace. */
interface Seam {
  readonly name: string;
  /** Path relative to the project's folder. */
  readonly file: string;
  /** Line number, from 0. */
  readonly line: number;
}

/**
 * Folders that the processes under test do not need and that are not copied. All other folders are copied,
 * including new ones.
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

/** Returns the text with the seam's line replaced by the mistake. */
function planted(text: string, { line }: Seam, mistake: string): string {
  return text
    .split('\n')
    .map((one, index) => (index === line ? mistake : one))
    .join('\n');
}

/**
 * Copies the code and builds in the mistake.
 * @param folder the folder of the copy, which is created
 * @param lines the lines of the mistake, keyed by seam
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
    // A mistake is one line, so the numbers of all other lines stay valid.
    writeFileSync(path, planted(readFileSync(path, 'utf8'), seam, mistake));
  }
  return folder;
}
