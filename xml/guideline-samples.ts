/** Messages in which every element that our rules read occurs, each way in which it may be written. */
import { buildPacs008, type OriginalPacs008 } from '../core/iso20022/build-pacs008.ts';
import type { MessageName } from '../core/iso20022/messages.ts';
import type { AccountIdentification, AgentIdentification } from '../core/iso20022/parties.ts';
import type { XmlElement } from '../core/iso20022/tree.ts';
import { treeOf } from './schemas.ts';

/** Each way in which an agent is named, by the element that has its name. */
export const agentsNamedBy: Readonly<Record<string, AgentIdentification>> = {
  BICFI: { bicfi: 'LOTUSGS0' },
  LEI: { lei: '5493000IBP32UQZ0KL24' },
  ClrSysMmbId: { memberId: { clearingSystemId: 'SGDFAST', memberId: '7171' } },
  Othr: { otherId: 'SG-LOTU' },
};
const accounts: readonly AccountIdentification[] = [
  { otherId: '1110000001' },
  { iban: 'GB33BUKB20201555555555' },
  { otherId: '1110000001', proxy: { type: 'TELE', id: '+6591234567' } },
  { otherId: '1110000001', proxy: { id: '+6591234567' } },
];

const original = (agent: AgentIdentification, account: AccountIdentification): OriginalPacs008 => ({
  messageIdentification: 'TRIAL',
  creationDateTime: '2026-01-01T00:00:00.000Z',
  clearingSystemId: 'SGDFAST',
  instructionId: 'INSTR-1',
  endToEndId: 'E2E-1',
  transactionId: 'TX-1',
  uetr: '6f1f3a52-9d0c-4f7e-8a43-2f4b7a1c9e01',
  clearingSystemReference: 'REF-1',
  priority: 'HIGH',
  categoryPurpose: 'CASH',
  purpose: 'GDDS',
  interbankSettlementAmount: { currency: 'SGD', amount: '1000.00' },
  settlementDate: '2026-01-01',
  acceptanceDateTime: '2026-01-01T00:00:00.000Z',
  instructedAmount: { currency: 'SGD', amount: '1001.00' },
  agreedRate: {
    preAgreedExchangeRate: '25',
    unitCurrency: 'SGD',
    quotedCurrency: 'THB',
    quoteId: '0b5c8d2e-4a61-4d3f-9b7a-1c2d3e4f5a6b',
  },
  charges: [
    { currency: 'SGD', amount: '1.00', agent },
    { currency: 'THB', amount: '100.00', agent },
  ],
  instructingAgent: agent,
  instructedAgent: agent,
  intermediaryAgent1: agent,
  intermediaryAgent1Account: account,
  intermediaryAgent2: agent,
  intermediaryAgent2Account: account,
  debtorAgent: agent,
  creditorAgent: agent,
  debtor: { name: 'Debtor', townName: 'Singapore', country: 'SG' },
  creditor: { name: 'Creditor', townName: 'Bangkok', country: 'TH' },
  debtorAccount: account,
  creditorAccount: account,
});

/** `Document` each. */
export function sampleMessages(name: MessageName): readonly XmlElement[] {
  if (name !== 'pacs008') return []; // the examples in `schemas` have all
  return Object.values(agentsNamedBy).map((agent, index) =>
    treeOf(buildPacs008(original(agent, accounts[index] as AccountIdentification))),
  );
}
