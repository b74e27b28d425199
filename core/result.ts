/** What reading, looking up or judging comes to: the value that was asked for, or why there is none. A refusal is a value, never thrown. */
export type Result<Value, Refusal> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly refusal: Refusal };

export function ok<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value };
}

export function refused<Refusal>(refusal: Refusal): { readonly ok: false; readonly refusal: Refusal } {
  return { ok: false, refusal };
}

/** The same, with what is made of the value. */
export function mapValue<Value, Made, Refusal>(
  result: Result<Value, Refusal>,
  make: (value: Value) => Made,
): Result<Made, Refusal> {
  return result.ok ? ok(make(result.value)) : result;
}

/** The same, with the refusal in the words of whoever tells it. */
export function mapRefusal<Value, Refusal, Told>(
  result: Result<Value, Refusal>,
  tell: (refusal: Refusal) => Told,
): Result<Value, Told> {
  return result.ok ? result : refused(tell(result.refusal));
}

/** The first of what is found, undefined where nothing is; no more is looked for. */
export function first<Value>(found: Iterable<Value>): Value | undefined {
  for (const value of found) return value;
  return undefined;
}
