// Mistakes that can be made in the model: each takes one guard away, and mistakes.test.ts shows which invariant falls.

export const mistakes = [
  'a stored final is not looked at',
  'the last final wins',
  'no compare-and-set of the decision',
  'rejects what may have been sent',
  'rejects what was never tried',
  'no intent before the socket opens',
  'a timeout counts as NOT_SENT',
  'sends without looking at the deadline',
  'a decision leaves the instruction open',
  "the deadline by the engine's clock",
  'no negative confirmation at the deadline',
  'withdraws a confirmation that was due',
  'no unique key of a payment',
  'composes the instruction anew for each send',
  'a second fxtr.017',
  'answers before anything is stored',
  'no sweep',
  'the sweep looks for no stored finals',
  'the sweep looks for no contradictions',
  'the sweep looks for no deliveries',
] as const;
export type Mistake = (typeof mistakes)[number];
