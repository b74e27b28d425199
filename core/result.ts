/**
 * The result of reading, looking up or judging: a value, or the reason why there is none. Code returns
 * refusals and does not throw them.
 */
export type Result<Value, Refusal> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly refusal: Refusal };

export function ok<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value };
}

export function refused<Refusal>(refusal: Refusal): { readonly ok: false; readonly refusal: Refusal } {
  return { ok: false, refusal };
}

export function mapValue<Value, Made, Refusal>(
  result: Result<Value, Refusal>,
  make: (value: Value) => Made,
): Result<Made, Refusal> {
  return result.ok ? ok(make(result.value)) : result;
}

export function mapRefusal<Value, Refusal, Told>(
  result: Result<Value, Refusal>,
  tell: (refusal: Refusal) => Told,
): Result<Value, Told> {
  return result.ok ? result : refused(tell(result.refusal));
}

/** Returns the first value, if any, and computes no further ones. */
export function first<Value>(found: Iterable<Value>): Value | undefined {
  for (const value of found) return value;
  return undefined;
}
