/** Directories that decide how messages are judged. */
export interface JudgingDirectories {
  /** Absent: our usage guideline, in `schemas`. */
  readonly usageGuideline?: string;
  /** Absent: the official schemas are not asked. */
  readonly officialSchemas?: string;
  /** With editions of the external code sets; absent: the shipped one (MSG-4). */
  readonly codeSetsDirectory?: string;
}

type DirectoryVariable = 'USAGE_GUIDELINE' | 'OFFICIAL_SCHEMAS' | 'CODE_SETS_DIR';

/** @param read gives the value of a setting; empty: it is not set */
export function parseJudgingDirectories(read: (name: DirectoryVariable) => string): JudgingDirectories {
  const [usageGuideline, officialSchemas, codeSetsDirectory] = [
    read('USAGE_GUIDELINE'),
    read('OFFICIAL_SCHEMAS'),
    read('CODE_SETS_DIR'),
  ];
  return {
    ...(usageGuideline !== '' && { usageGuideline }),
    ...(officialSchemas !== '' && { officialSchemas }),
    ...(codeSetsDirectory !== '' && { codeSetsDirectory }),
  };
}
