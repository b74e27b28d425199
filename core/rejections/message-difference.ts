/**
 * Lists the differences between a received pacs.008 and the forwarded one, field by field, each with the rule that
 * requires it. To be independent evidence, it shares no code with the builder of the forwarded message.
 */
import { pacs008Paths } from '../iso20022/pacs008.ts';
import { elementAt, within, type XmlElement } from '../iso20022/tree.ts';

export const changes = ['changed', 'added', 'removed', 'moved'] as const;
export type Change = (typeof changes)[number];

export interface FieldDifference {
  readonly change: Change;
  /**
   * XPaths that start at `/Document`. Names have no prefix. They have a position where siblings share a name.
   * An attribute is written `@Ccy`.
   */
  readonly receivedXpath?: string;
  readonly forwardedXpath?: string;
  readonly received?: string;
  readonly forwarded?: string;
  /** Undefined if no rule requires the difference; it is then a defect of the gateway. */
  readonly ruleId?: string;
}

const { group, transaction } = pacs008Paths;

/** Elements that the gateway sets itself, and the kinds of difference that a rule allows in them. */
const setByGateway: readonly {
  readonly xpath: string;
  readonly ruleId: string;
  readonly as: readonly Change[];
}[] = [
  { xpath: `${group}/MsgId`, ruleId: 'MSG-9', as: ['changed'] },
  { xpath: `${group}/CreDtTm`, ruleId: 'MSG-9', as: ['changed'] },
  { xpath: `${group}/SttlmInf/ClrSys`, ruleId: 'MSG-10', as: ['changed', 'added', 'removed'] },
  { xpath: `${group}/InstgAgt`, ruleId: 'MSG-10', as: ['changed', 'added', 'removed'] },
  { xpath: `${group}/InstdAgt`, ruleId: 'MSG-10', as: ['changed', 'added', 'removed'] },
  { xpath: `${transaction}/IntrBkSttlmAmt`, ruleId: 'MSG-10', as: ['changed'] },
  { xpath: `${transaction}/IntrBkSttlmDt`, ruleId: 'MSG-10', as: ['changed', 'added'] },
  { xpath: `${transaction}/InstgAgt`, ruleId: 'MSG-10', as: ['changed', 'added', 'removed'] },
  { xpath: `${transaction}/InstdAgt`, ruleId: 'MSG-10', as: ['changed', 'added', 'removed'] },
];

/** The new names of children of `CdtTrfTxInf` that move in the forwarded message. */
const movedTo: Readonly<Record<string, string>> = {
  IntrmyAgt1: 'PrvsInstgAgt1',
  IntrmyAgt1Acct: 'PrvsInstgAgt1Acct',
};

/** Children of a forwarded `CdtTrfTxInf` that the quote may supply, with the received element that they replace. */
const filledFromQuote: Readonly<Record<string, string>> = {
  PrvsInstgAgt1: 'IntrmyAgt1',
  PrvsInstgAgt1Acct: 'IntrmyAgt1Acct',
  IntrmyAgt2: 'IntrmyAgt2',
  IntrmyAgt2Acct: 'IntrmyAgt2Acct',
};

/** The values of all fields of a message by XPath, in document order. */
type Fields = ReadonlyMap<string, string>;

function fieldsOf(root: XmlElement): Fields {
  const fields = new Map<string, string>();
  const visit = (element: XmlElement, xpath: string) => {
    for (const [name, value] of Object.entries(element.attributes)) fields.set(`${xpath}/@${name}`, value);
    if (element.children.length === 0) fields.set(xpath, element.text);
    for (const [index, child] of element.children.entries()) {
      const namesakes = element.children.filter((one) => one.name === child.name);
      const position = element.children.slice(0, index).filter((one) => one.name === child.name).length + 1;
      visit(child, `${xpath}/${child.name}${namesakes.length === 1 ? '' : `[${position}]`}`);
    }
  };
  visit(root, `/${root.name}`);
  return fields;
}

/** The child of `CdtTrfTxInf` that contains a field. */
function childOf(xpath: string): string | undefined {
  return within(xpath, transaction) ? xpath.slice(transaction.length + 1).split('/')[0] : undefined;
}

/** The XPath of a received field in the forwarded message. */
function placeOf(xpath: string): string {
  const child = childOf(xpath) ?? '';
  const target = movedTo[child];
  const start = `${transaction}/${child}`;
  return target === undefined ? xpath : `${transaction}/${target}${xpath.slice(start.length)}`;
}

/**
 * @param received `Document` element of the source's pacs.008
 * @param forwarded `Document` element of the gateway's pacs.008
 * @returns the differences in the order of the received message; added fields come last
 */
export function compareMessages(received: XmlElement, forwarded: XmlElement): readonly FieldDifference[] {
  const before = fieldsOf(received);
  const after = fieldsOf(forwarded);
  const differences: FieldDifference[] = [];
  const accountedFor = new Set<string>();
  for (const [xpath, value] of before) {
    const place = placeOf(xpath);
    const found = after.get(place);
    accountedFor.add(place);
    const both = { receivedXpath: xpath, forwardedXpath: place, received: value };
    if (found === undefined) {
      differences.push({ change: 'removed', receivedXpath: xpath, received: value });
    } else if (found !== value) {
      differences.push({ change: 'changed', ...both, forwarded: found });
    } else if (place !== xpath) {
      differences.push({ change: 'moved', ...both, forwarded: found });
    }
  }
  for (const [xpath, value] of after) {
    if (!accountedFor.has(xpath))
      differences.push({ change: 'added', forwardedXpath: xpath, forwarded: value });
  }
  return differences.map((one) => {
    const ruleId = ruleOf(one, received);
    return ruleId === undefined ? one : { ...one, ruleId };
  });
}

/** The rule that requires a difference; undefined if none does. */
function ruleOf(difference: FieldDifference, received: XmlElement): string | undefined {
  const { change, receivedXpath, forwardedXpath } = difference;
  const xpath = forwardedXpath ?? receivedXpath ?? '';
  const row = setByGateway.find((one) => within(xpath, one.xpath));
  if (row !== undefined) return row.as.includes(change) ? row.ruleId : undefined;
  if (change === 'moved') return 'MSG-10';
  const given = change === 'added' ? filledFromQuote[childOf(xpath) ?? ''] : undefined;
  const isFilledIn =
    given !== undefined && elementAt(received, `FIToFICstmrCdtTrf/CdtTrfTxInf/${given}`) === undefined;
  return isFilledIn ? 'PAY-4' : undefined;
}
