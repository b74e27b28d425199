/** The end of a page of a list: time and id of its last row. `at` is Postgres's text, with microseconds. */
export interface ListPlace {
  readonly at: string;
  readonly id: string;
}
