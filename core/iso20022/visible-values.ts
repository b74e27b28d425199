/**
 * Which values of a message a refusal may show: codes, currencies, dates, amounts and counts, if they look
 * like one; never a value of a person or an address, an id, or free text.
 */

/** The kinds of value, each with the pattern that may be shown. */
const shapes = {
  code: /^[A-Za-z0-9]{1,5}$/,
  number: /^[0-9.,+-]{1,30}$/,
  moment: /^[0-9TZ:.+-]{1,40}$/,
} as const;
export type VisibleKind = keyof typeof shapes;

/** Anything inside one of these is private to the parties. */
const personal = /\/(Dbtr|Cdtr|UltmtDbtr|UltmtCdtr|Pty|PstlAdr|CtctDtls)(\[[0-9]+\])?\//;

/** @returns the value, if it may be shown */
export function visible(kind: VisibleKind, xpath: string, value: string): string | undefined {
  return shapes[kind].test(value) && !personal.test(xpath) ? value : undefined;
}
