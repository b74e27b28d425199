// The legend of the sandbox's accounts: how a simulated destination operator behaves, by the last four digits of the
// creditor's account (sandbox/behaviours.ts plays it; test/sandbox/behaviours.test.ts holds it to each of these).

/** Last four digits of an account. Any other four behave as `creditedLater`. */
export const endingIn = {
  /** ACCC in the HTTP answer. */
  creditedAtOnce: '0001',
  /** 202, then ACCC by a message of its own. */
  creditedLater: '0002',
  /** RJCT AC04 in the HTTP answer. */
  rejected: '0003',
  /** BLCK in the HTTP answer: neither credited nor returned. */
  blocked: '0004',
  /** 202, and never a word. */
  silent: '0005',
  /** 202, credited on receipt, and ACCC only after the deadline. */
  tooLate: '0006',
  /** The connection is cut once the instruction was read; the same bytes again reveal ACCC. */
  cut: '0007',
  /** 503 three times, then ACCC. */
  refusing: '0008',
  /** ACCC three times, each by a message of its own. */
  repeating: '0009',
  /** ACCC, then RJCT AC04. */
  contradicting: '0010',
  /** The interim ACWP in the HTTP answer, then ACCC by a message. */
  interim: '0011',
} as const;

export type Ending = (typeof endingIn)[keyof typeof endingIn];

/** An account number that no other part of a message looks like. */
export function accountEndingIn(digits: string): string {
  return `555000${digits}`;
}
