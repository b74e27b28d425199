// Builds the conditions of list queries from optional filters.
import type { RawBuilder } from 'kysely';

export type Condition = RawBuilder<unknown>;

/** The condition for a filter value; empty if the value is undefined. */
export const given = <T>(value: T | undefined, condition: (value: T) => Condition): readonly Condition[] =>
  value === undefined ? [] : [condition(value)];
