// A row of the tables of refusals.
export interface ProblemRow {
  readonly status: number;
  readonly title: string;
  readonly ruleId?: string;
  /** Used if the refusing code gives no more precise text. */
  readonly detail: string;
  /** Seconds for `Retry-After`. */
  readonly retryAfter?: number;
}
