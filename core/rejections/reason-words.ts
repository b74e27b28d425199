/**
 * Short texts for reason codes, for people who read lists. They cover the codes of ISO 20022's
 * ExternalStatusReason1Code that this scheme uses. Messages carry only the codes.
 */
const words: Readonly<Record<string, string>> = {
  AB03: 'settlement timed out',
  AB04: 'settlement aborted',
  AB08: 'creditor agent offline',
  AC01: 'account number wrong or missing',
  AC03: 'creditor account wrong or missing',
  AC04: 'account closed',
  AC06: 'account blocked',
  AC14: 'creditor account type wrong or missing',
  AC16: 'card number wrong',
  AGNT: 'wrong agent',
  AM02: 'amount above the maximum',
  AM04: 'insufficient funds',
  AM06: 'amount below the minimum',
  AM09: 'amount not as agreed',
  BE01: 'name does not fit the account',
  BE23: 'proxy unknown or wrong',
  CH20: 'wrong number of decimals',
  CH21: 'required element missing',
  CURR: 'wrong currency',
  DS02: 'order cancelled',
  DU01: 'duplicate MsgId',
  DUPL: 'duplicate payment',
  ED06: 'settlement system not available',
  FF01: 'wrong message format',
  FRAD: 'suspected fraud',
  MD07: 'creditor deceased',
  MS03: 'reason not given',
  NARR: 'see the text',
  RC06: 'debtor agent wrong or missing',
  RC07: 'creditor agent wrong or missing',
  RC11: 'intermediary agent wrong or missing',
  RR01: 'debtor account missing',
  RR02: 'debtor name or address missing',
  RR03: 'creditor name or address missing',
  RR04: 'regulatory reason',
  TM01: 'outside the time allowed',
};

/** The code with its text, e.g. `AC04 account closed`; the code alone if it has no text. */
export function reasonInWords(code: string): string {
  const said = words[code];
  return said === undefined ? code : `${code} ${said}`;
}

/** The status with its reason, e.g. `RJCT AC04 account closed`; absent parts are omitted. */
export const statusInWords = (...[status, reasonCode]: readonly (string | null | undefined)[]) =>
  [status, reasonCode && reasonInWords(reasonCode)].filter((part) => part).join(' ');

/** The text for places where no free text is allowed: a malformed code may contain a name. */
export const publicReason = (code: string) =>
  /^[A-Z0-9]{4}$/.test(code) ? reasonInWords(code) : 'unlisted code';
