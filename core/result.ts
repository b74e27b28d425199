/** What a judgement comes to: the value that was asked for, or why there is none. Refusals are values, never thrown. */
export type Result<Value, Refusal> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly rejection: Refusal };

export function ok<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value };
}

export function refused<Refusal>(rejection: Refusal): { readonly ok: false; readonly rejection: Refusal } {
  return { ok: false, rejection };
}
