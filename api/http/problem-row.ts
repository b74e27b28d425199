// A refusal as the tables of problems have it.
export interface ProblemRow {
  readonly status: number;
  readonly title: string;
  readonly ruleId?: string;
  /** Used if the refusing code has nothing more precise to say. */
  readonly detail: string;
  /** Seconds for `Retry-After`. */
  readonly retryAfter?: number;
}
