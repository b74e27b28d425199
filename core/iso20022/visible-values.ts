/**
 * Which values of a message a refusal may show (MSG-13): codes, currencies, dates, amounts and counts, when they have the
 * shape of one; never what stands in a person or an address, never an id, and never free text.
 */

/** What kind of value an element has, with the shape in which it may be shown. */
const shapes = {
  code: /^[A-Za-z0-9]{1,5}$/,
  number: /^[0-9.,+-]{1,30}$/,
  moment: /^[0-9TZ:.+-]{1,40}$/,
} as const;
export type VisibleKind = keyof typeof shapes;

/** Whatever stands in one of these is nobody's business but the parties'. */
const personal = /\/(Dbtr|Cdtr|UltmtDbtr|UltmtCdtr|Pty|PstlAdr|CtctDtls)(\[[0-9]+\])?\//;

/** @returns the value, where it may be shown; undefined otherwise */
export function visible(kind: VisibleKind, xpath: string, value: string): string | undefined {
  return shapes[kind].test(value) && !personal.test(xpath) ? value : undefined;
}
