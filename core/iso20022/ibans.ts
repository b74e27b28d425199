/** Checks each IBAN of a source's message: the length for its country, and its check digits. */
import { ibanFault } from '../payments/iban.ts';
import { reject, type Rejection } from '../rejections/rejection.ts';
import { elementsNamed } from './elements-named.ts';
import { xpathOf, type XmlElement } from './tree.ts';

/**
 * A rejection for each wrong IBAN, in document order.
 * @param root the element whose descendants are checked
 * @param xpath the XPath of `root`
 */
export function findWrongIbans(root: XmlElement, xpath: string): readonly Rejection[] {
  return elementsNamed('IBAN', root).flatMap((chain) => {
    const text = chain.at(-1)?.text ?? '';
    const fault = ibanFault(text);
    if (fault === undefined) return [];
    const where = `${xpath}${xpathOf(chain).slice(`/${root.name}`.length)}`;
    const found = `${Array.from(text).length} characters`;
    return [reject('iban-wrong', where, undefined, { text: `no IBAN: ${fault}`, found })];
  });
}
