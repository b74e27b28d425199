/**
 * Decides which values of a message a refusal may quote: codes, currencies, dates, amounts and counts that have the
 * right form. Never values of a person or an address, ids, or free text.
 */

/** The kinds of value, each with the form that may be quoted. */
const shapes = {
  code: /^[A-Za-z0-9]{1,5}$/,
  number: /^[0-9.,+-]{1,30}$/,
  moment: /^[0-9TZ:.+-]{1,40}$/,
} as const;
export type VisibleKind = keyof typeof shapes;

/** Elements with personal data; nothing inside them may be quoted. */
const personal = /\/(Dbtr|Cdtr|UltmtDbtr|UltmtCdtr|Pty|PstlAdr|CtctDtls)(\[[0-9]+\])?\//;

/** @returns the value if a refusal may quote it */
export function visible(kind: VisibleKind, xpath: string, value: string): string | undefined {
  return shapes[kind].test(value) && !personal.test(xpath) ? value : undefined;
}
