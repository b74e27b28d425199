/** Checks that a forwarded pacs.008 is still valid by the scheme's usage guideline. */
import { buildForwardedPacs008, type Forwarding, type ForwardedLeg } from '../core/iso20022/build-pacs008.ts';
import { readPacs008 } from '../core/iso20022/pacs008.ts';
import type { AccountIdentification, AgentIdentification } from '../core/iso20022/parties.ts';
import type { XmlElement } from '../core/iso20022/tree.ts';
import { treeOf } from './schemas.ts';

/** All ways to identify the agents and accounts of a leg. */
const ways: readonly (readonly [AgentIdentification, AccountIdentification])[] = [
  [{ bicfi: 'LOTUSGS0' }, { otherId: 'MERI-TH-THB' }],
  [{ lei: '5493000IBP32UQZ0KL24' }, { iban: 'GB33BUKB20201555555555' }],
  [{ memberId: { clearingSystemId: 'SGDFAST', memberId: '7171' } }, { otherId: 'MERI-TH-THB' }],
  [{ otherId: 'SG-LOTU' }, { otherId: 'MERI-TH-THB' }],
];

const legs = ways.map(([agent, account]): ForwardedLeg => ({
  messageIdentification: 'TRIAL',
  creationDateTime: '2026-01-01T00:00:00.000Z',
  clearingSystemId: 'THBPPAY',
  interbankSettlementAmount: { currency: 'THB', amount: '25000.00' },
  settlementDate: '2026-01-01',
  instructingAgent: agent,
  instructedAgent: agent,
  previousInstructingAgent1: agent,
  previousInstructingAgent1Account: account,
  intermediaryAgent2: agent,
  intermediaryAgent2Account: account,
}));

/**
 * Forwards the example messages in every way, and validates the results.
 * @param documents examples that are valid by the guideline
 * @returns one sentence per fault
 */
export function tryForwarding(
  isValid: (document: XmlElement) => boolean,
  documents: readonly XmlElement[],
  forwarding: Forwarding,
): readonly string[] {
  const faults = new Set<string>();
  for (const document of documents) {
    const reading = readPacs008(document);
    if (!reading.ok) continue; // A source may not send such a message.
    for (const leg of legs)
      if (!isValid(treeOf(buildForwardedPacs008(reading.value, leg, forwarding))))
        faults.add(
          `the forwarded message with agents by ${Object.keys(leg.instructingAgent).join()} is not valid`,
        );
  }
  return [...faults];
}
