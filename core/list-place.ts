/** Where a page of a list ends: the time of its last row in the database's own text, to the microsecond, and its id. */
export interface ListPlace {
  readonly at: string;
  readonly id: string;
}
