// Whose each message of ours is, by the name under which the faults know its party: `source/SGDFAST`,
// `destination/IPSO-TH`, `fxp/MERISGS0`.
import type { Reference } from './reference.ts';
import type { DeliveryRow } from './rows.ts';

type Receiving = Pick<DeliveryRow, 'kind' | 'party'>;

/** What is sent until it is taken or given up (CBK-1); an instruction has an end of its own (TIM-3). */
export const toldKinds: readonly string[] = ['callback', 'confirmation', 'notification', 'book'];

export function receiverOf(reference: Pick<Reference, 'systems'>, { kind, party }: Receiving): string {
  if (kind === 'callback') return sourceOf(party);
  if (kind === 'notification' || (kind === 'book' && !reference.systems.has(party))) return `fxp/${party}`;
  return destinationOf(reference, party);
}

function sourceOf(system: string | null): string {
  return `source/${system ?? ''}`;
}

/** Its operator's: several systems may share one. */
function destinationOf({ systems }: Pick<Reference, 'systems'>, system: string | null): string {
  return `destination/${systems.get(system ?? '')?.operatorId ?? ''}`;
}
