/** Whether what passes unaltered still does (MSG-9, MSG-10) under a usage guideline that is not ours. */
import { buildForwardedPacs008, type Forwarding, type ForwardedLeg } from '../core/iso20022/build-pacs008.ts';
import { readPacs008 } from '../core/iso20022/pacs008.ts';
import type { AccountIdentification } from '../core/iso20022/parties.ts';
import { childrenNamed, elementAt, type XmlElement } from '../core/iso20022/tree.ts';
import { agentsNamedBy } from './guideline-samples.ts';
import { treeOf } from './schemas.ts';

const accounts: readonly AccountIdentification[] = [
  { otherId: 'MERI-TH-THB' },
  { iban: 'GB33BUKB20201555555555' },
];

/** Each way in which we may name the agents and accounts of a leg. */
const legs = Object.entries(agentsNamedBy).map(([namedBy, agent], index) => {
  const account = accounts[index % accounts.length] as AccountIdentification;
  const leg: ForwardedLeg = {
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
  };
  return { namedBy, leg };
});

/** What a rule sets: everything else passes. */
const set: readonly string[] = [
  ...['IntrBkSttlmAmt', 'IntrBkSttlmDt', 'InstgAgt', 'InstdAgt', 'PrvsInstgAgt1', 'PrvsInstgAgt1Acct'],
  ...['IntrmyAgt1', 'IntrmyAgt1Acct', 'IntrmyAgt2', 'IntrmyAgt2Acct'],
];

/** @returns one sentence per fault */
export function tryForwarding(
  isValid: (document: XmlElement) => boolean,
  documents: readonly XmlElement[],
  forwarding: Forwarding,
): readonly string[] {
  const faults = new Set<string>();
  for (const document of documents) {
    const reading = readPacs008(document);
    if (!reading.ok) continue; // a source may not send it
    for (const { namedBy, leg } of legs) {
      const forwarded = treeOf(buildForwardedPacs008(reading.value, leg, forwarding));
      if (!isValid(forwarded)) faults.add(`the forwarded message with agents by ${namedBy} is not valid`);
      for (const path of alteredBetween(document, forwarded, forwarding))
        faults.add(`${path}: it does not pass unaltered`);
    }
  }
  return [...faults];
}

function alteredBetween(
  received: XmlElement,
  forwarded: XmlElement,
  { rules }: Forwarding,
): readonly string[] {
  return ['GrpHdr', 'CdtTrfTxInf'].flatMap((parent) => {
    const before = elementAt(received, `FIToFICstmrCdtTrf/${parent}`);
    const after = elementAt(forwarded, `FIToFICstmrCdtTrf/${parent}`);
    if (before === undefined || after === undefined) return [parent];
    const names = new Set(before.children.map(({ name }) => name));
    return [...names].flatMap((name) => {
      const rule = rules[`${parent}/${name}`];
      const passes = parent === 'GrpHdr' ? rule === 'pass' : rule !== 'leave-out' && !set.includes(name);
      const same = JSON.stringify(childrenNamed(before, name)) === JSON.stringify(childrenNamed(after, name));
      return passes && !same ? [`${parent}/${name}`] : [];
    });
  });
}
