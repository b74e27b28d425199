/**
 * Reads a forwarded pacs.008 as a destination does. It extracts the values for crediting and answering, and
 * checks the gateway's compliance with MSG-9 and MSG-10. It does not use the gateway's own reader, so that an
 * error in one reader does not hide an error in the other.
 */
import { messages } from '../core/iso20022/messages.ts';
import { compact } from '../core/compact.ts';
import {
  collapsed,
  readAccount,
  readAgent,
  readAmount,
  sameAgent,
  type AccountIdentification,
  type Amount,
} from '../core/iso20022/parties.ts';
import type { OriginalReferences, Pacs008References } from '../core/iso20022/references.ts';
import { childrenNamed, elementAt, textAt, type XmlElement } from '../core/iso20022/tree.ts';
import { parseAmount, renderDecimal } from '../core/money/money.ts';
import { ok, refused, type Result } from '../core/result.ts';
import type { SandboxClearingSystem } from './options.ts';

export interface ForwardedPacs008 {
  /** The references that a pacs.002 about this pacs.008 repeats. */
  readonly references: Pacs008References;
  readonly clearingSystem: SandboxClearingSystem;
  readonly priority: 'HIGH' | 'NORM';
  /** Acceptance time in milliseconds since 1970 UTC. The deadline of a HIGH payment counts from this time. */
  readonly acceptanceAt: number;
  readonly settlement: Amount;
  /** The amount that the creditor gets: the settlement amount less the creditor agent's fee. */
  readonly creditedAmount: string;
  readonly creditorAccount: AccountIdentification;
}

/**
 * Returns the values, or a description of the fault in the message.
 * @param systems the clearing systems of the addressed operator
 */
export function readForwardedPacs008(
  document: XmlElement,
  systems: ReadonlyMap<string, SandboxClearingSystem>,
): Result<ForwardedPacs008, string> {
  const group = elementAt(document, 'FIToFICstmrCdtTrf/GrpHdr');
  const transaction = elementAt(document, 'FIToFICstmrCdtTrf/CdtTrfTxInf');
  if (group === undefined || transaction === undefined) return refused('GrpHdr or CdtTrfTxInf is missing');
  const systemId = textAt(group, 'SttlmInf/ClrSys/Prtry') ?? textAt(group, 'SttlmInf/ClrSys/Cd') ?? '';
  const clearingSystem = systems.get(systemId);
  if (clearingSystem === undefined) return refused('MSG-10: ClrSys is not of this operator');
  const settlementElement = elementAt(transaction, 'IntrBkSttlmAmt');
  const charge = childrenNamed(transaction, 'ChrgsInf')[1];
  const feeElement = charge && elementAt(charge, 'Amt');
  const creditorAccount = readAccount(elementAt(transaction, 'CdtrAcct'));
  if (settlementElement === undefined || feeElement === undefined || creditorAccount === undefined) {
    return refused('MSG-6: amount, creditor agent fee or creditor account is missing');
  }
  const settlement = readAmount(settlementElement);
  if (settlement.currency !== clearingSystem.currencyCode) {
    return refused(`MSG-10: the settlement amount is not in ${clearingSystem.currencyCode}`);
  }
  const creditedAmount = creditedOf(settlement, readAmount(feeElement));
  if (creditedAmount === undefined) return refused('FEE-5: the creditor agent fee leaves nothing to credit');
  const legFault = faultOfLeg(group, transaction);
  if (legFault !== undefined) return refused(legFault);
  return ok({
    references: readReferences(group, transaction),
    clearingSystem,
    priority: textAt(transaction, 'PmtTpInf/InstrPrty') === 'HIGH' ? 'HIGH' : 'NORM',
    acceptanceAt: Date.parse(collapsed(textAt(transaction, 'AddtlDtTm/AccptncDtTm') ?? '')),
    settlement,
    creditedAmount,
    creditorAccount,
  });
}

/** @returns undefined unless the fee is smaller than the amount and in the same currency */
function creditedOf(settlement: Amount, fee: Amount): string | undefined {
  const amount = parseAmount(settlement.amount);
  const deducted = parseAmount(fee.amount);
  if (amount === undefined || deducted === undefined || fee.currency !== settlement.currency)
    return undefined;
  return deducted.lt(amount) ? renderDecimal(amount.minus(deducted)) : undefined;
}

/**
 * Finds an agent of the destination leg. Depending on the usage guideline, it is in the transaction or in the
 * group header.
 */
function ofLeg(
  group: XmlElement,
  transaction: XmlElement,
  name: 'InstgAgt' | 'InstdAgt',
): XmlElement | undefined {
  return elementAt(transaction, name) ?? elementAt(group, name);
}

/** Checks the elements that the gateway must set or remove on the destination leg (MSG-10). */
function faultOfLeg(group: XmlElement, transaction: XmlElement): string | undefined {
  const instructed = readAgent(ofLeg(group, transaction, 'InstdAgt'));
  const creditorAgent = readAgent(elementAt(transaction, 'CdtrAgt'));
  if (elementAt(transaction, 'IntrmyAgt1') !== undefined) return 'MSG-10: IntrmyAgt1 is still there';
  if (ofLeg(group, transaction, 'InstgAgt') === undefined) return 'MSG-10: InstgAgt is missing';
  if (elementAt(transaction, 'IntrBkSttlmDt') === undefined) return 'MSG-10: IntrBkSttlmDt is missing';
  if (instructed === undefined || creditorAgent === undefined)
    return 'MSG-10: InstdAgt or CdtrAgt is missing';
  return sameAgent(instructed, creditorAgent) === false
    ? 'MSG-10: InstdAgt is not the creditor agent'
    : undefined;
}

function readReferences(group: XmlElement, transaction: XmlElement): Pacs008References {
  const created = textAt(group, 'CreDtTm');
  return compact<Pacs008References>({
    original: compact<OriginalReferences>({
      messageIdentification: textAt(group, 'MsgId') ?? '',
      messageNameId: messages.pacs008.identifier,
      creationDateTime: created === undefined ? undefined : collapsed(created),
      instructionId: textAt(transaction, 'PmtId/InstrId'),
      endToEndId: textAt(transaction, 'PmtId/EndToEndId'),
      transactionId: textAt(transaction, 'PmtId/TxId'),
      uetr: textAt(transaction, 'PmtId/UETR') ?? '',
    }),
    instructingAgent: readAgent(ofLeg(group, transaction, 'InstgAgt')),
    instructedAgent: readAgent(ofLeg(group, transaction, 'InstdAgt')),
  });
}
