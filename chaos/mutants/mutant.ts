// A known mistake: a change of the code that loses a payment, doubles one or lies about one, and that the judge must
// find. It is made in a copy of the tree, so that nothing of it is in the code that runs.

/** One replacement in one file. */
export interface Edit {
  /** From the project's folder. */
  readonly file: string;
  /** Stands there exactly once. */
  readonly find: string;
  readonly replace: string;
}

export interface Mutant {
  /** As in `--mutant NAME`. */
  readonly name: string;
  /** The mistake, in a sentence. */
  readonly tells: string;
  readonly edits: readonly [Edit, ...Edit[]];
  /** What is broken by it: one of these is named by the judge. */
  readonly breaks: readonly [string, ...string[]];
  /**
   * What it takes to see it soon: a fault that is played alone, and payments for that long. Absent: no fault at all.
   */
  readonly shownBy?: {
    readonly fault: string;
    readonly seconds: number;
    /** Where it shows only in what was under way when the fault began. */
    readonly times?: number;
    readonly target?: string;
  };
}

/** @throws Error unless the text stands there exactly once */
export function applied(text: string, { file, find, replace }: Edit): string {
  const parts = text.split(find);
  if (parts.length !== 2) {
    throw new Error(
      `${file}: what is to be replaced stands there ${parts.length - 1} times, not once:\n${find}`,
    );
  }
  return parts.join(replace);
}
