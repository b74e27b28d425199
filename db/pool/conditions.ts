// Conditions of lists that are put together from what somebody asks for.
import type { RawBuilder } from 'kysely';

export type Condition = RawBuilder<unknown>;

/** The condition on a value that was asked for; none where it was not. */
export const given = <T>(value: T | undefined, condition: (value: T) => Condition): readonly Condition[] =>
  value === undefined ? [] : [condition(value)];
