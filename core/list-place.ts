/**
 * The place in a list where a page ends: time and id of its last row. `at` is Postgres's text, with
 * microseconds.
 */
export interface ListPlace {
  readonly at: string;
  readonly id: string;
}
