// Optional properties: one that is undefined is left out, because `exactOptionalPropertyTypes` tells the two apart.

/** The same properties, each of which may be undefined. */
type Partially<T> = { [Key in keyof T]: T[Key] | undefined };

/** The same object without the properties that are undefined. */
export function compact<T extends object>(values: Partially<T>): T {
  const present: Partial<T> = {};
  for (const key in values) {
    const value = values[key];
    if (value !== undefined) present[key] = value;
  }
  return present as T;
}
