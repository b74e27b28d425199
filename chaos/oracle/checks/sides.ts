// Who may read what of a payment: each side its own leg, operators all of it (SEC-1).
import type { Payment, World } from '../world.ts';

/** The legs that a client has a part in, by its own name; undefined: an operator's, who may read all. */
export function legsOf(
  { reference }: World,
  { row }: Payment,
  client: string,
): readonly string[] | undefined {
  const psp = reference.findById('BICFI', client)?.id;
  if (psp === undefined && !reference.systems.has(client)) return undefined;
  const isIn = (system: string | null, agent: string | null) =>
    client === system || (psp !== undefined && psp === agent);
  return [
    ...(isIn(row.source_clearing_system, row.debtor_agent_id) ? ['source'] : []),
    ...(isIn(row.destination_clearing_system, row.creditor_agent_id) ? ['destination'] : []),
  ];
}
