// Writes a pacs.008 as a source PSP and its operator do. It contains the terms of a quote, the accounts, and
// the purposes that the destination country requires. All amounts come from the quote, so this file must not
// compute any.
import { randomUUID } from 'node:crypto';
import { buildPacs008, type OriginalPacs008 } from '../../core/iso20022/build-pacs008.ts';
import type { AccountIdentification } from '../../core/iso20022/parties.ts';
import type { OfferedQuote, ServedCountry } from '../gateway-client.ts';

export interface Instruction {
  readonly quote: OfferedQuote;
  /** Id of the payment system that submits the pacs.008. */
  readonly clearingSystemId: string;
  /** The agents are BICs. */
  readonly debtorAgent: string;
  readonly creditorAgent: string;
  readonly creditorAccount: AccountIdentification;
  readonly priority: 'HIGH' | 'NORM';
  readonly destination: ServedCountry;
}

export interface WrittenInstruction {
  readonly uetr: string;
  readonly messageIdentification: string;
  readonly xml: string;
}

/** Writes a new payment with a new UETR and MsgId. Its acceptance time is now. */
export function writeInstruction(instruction: Instruction): WrittenInstruction {
  const { quote, debtorAgent, creditorAgent, clearingSystemId, destination } = instruction;
  const now = new Date().toISOString();
  const uetr = randomUUID();
  const reference = `${now.slice(0, 19).replaceAll(/\D/g, '')}-${uetr.slice(0, 8)}`; // has 23 characters
  const messageIdentification = `${clearingSystemId}-${reference}`; // at most 35 characters (Max35Text)
  const source = quote.debtorAgent.interbankSettlementAmount;
  const fee = quote.creditorAgent.chargesInformation.amount;
  const required = destination.requiredMessageElements.pacs008;
  const values: OriginalPacs008 = {
    messageIdentification,
    creationDateTime: now,
    clearingSystemId,
    instructionId: `I-${reference}`,
    endToEndId: `E-${reference}`,
    transactionId: `T-${reference}`,
    uetr,
    priority: instruction.priority,
    ...(required.includes('categoryPurposeCode') && { categoryPurpose: 'CASH' }),
    ...(required.includes('purposeCode') && { purpose: 'GDDS' }),
    interbankSettlementAmount: { currency: source.currency, amount: source.amount },
    acceptanceDateTime: now,
    agreedRate: {
      preAgreedExchangeRate: quote.exchangeRate,
      unitCurrency: source.currency,
      quotedCurrency: fee.currency,
      quoteId: quote.quoteId,
    },
    charges: [
      // the debtor agent takes no fee
      { currency: source.currency, amount: '0', agent: { bicfi: debtorAgent } },
      { currency: fee.currency, amount: fee.amount, agent: { bicfi: creditorAgent } },
    ],
    instructingAgent: { bicfi: debtorAgent },
    instructedAgent: { bicfi: quote.intermediaryAgent1.finInstId.BICFI },
    intermediaryAgent1: { bicfi: quote.intermediaryAgent1.finInstId.BICFI },
    intermediaryAgent1Account: { otherId: quote.intermediaryAgent1Account.id },
    intermediaryAgent2: { bicfi: quote.intermediaryAgent2.finInstId.BICFI },
    intermediaryAgent2Account: { otherId: quote.intermediaryAgent2Account.id },
    debtorAgent: { bicfi: debtorAgent },
    creditorAgent: { bicfi: creditorAgent },
    debtor: { name: 'Aisha Tan' },
    creditor: { name: 'Somchai Jaidee' },
    debtorAccount: { otherId: '1110000001' },
    creditorAccount: instruction.creditorAccount,
    remittanceInformation: 'Isthmus demo',
  };
  return { uetr, messageIdentification, xml: buildPacs008(values) };
}
