// Drops undefined properties, because `exactOptionalPropertyTypes` distinguishes an undefined property from an absent
// one.

type Partially<T> = { [Key in keyof T]: T[Key] | undefined };

export function compact<T extends object>(values: Partially<T>): T {
  const present: Partial<T> = {};
  for (const key in values) {
    const value = values[key];
    if (value !== undefined) present[key] = value;
  }
  return present as T;
}
