// Another operator than SGDFAST, which most tests play: it pays while that one floods the gateway (SEC-7, I-16).
import type { OriginalPacs008 } from '../../core/iso20022/build-pacs008.ts';
import type { TestGateway } from './gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote } from './payer.ts';

/** Who submits it. */
export const other = 'THBPPAY';

/** A payment of the other operator, with a quote of its own. */
export async function fromTheOther(gateway: TestGateway): Promise<OriginalPacs008> {
  const trip = { source: 'TH', sourceCurrency: 'THB', destination: 'SG', destinationCurrency: 'SGD' };
  return instruction(await bestQuote(gateway, trip));
}
