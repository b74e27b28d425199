// A payment with its parties, accounts and ids, before its sender has a quote. All values are drawn at once,
// so that the same seed makes the same payment. `write` produces the message once the terms are known.
import { buildPacs008, type OriginalPacs008 } from '../../core/iso20022/build-pacs008.ts';
import type { QuoteOnOffer } from '../../fixtures/bodies.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { instruction, type Terms } from '../../fixtures/instruction.ts';
import { drawAccount, drawName } from './people.ts';
import type { Random } from './random.ts';
import { pspsOf, type Corridor } from './scheme.ts';

export type Priority = OriginalPacs008['priority'];

export interface Draft {
  readonly corridor: Corridor;
  /** BIC of the debtor agent, which is also its client id. */
  readonly debtorPsp: string;
  readonly creditorPsp: string;
  readonly uetr: string;
  readonly messageId: string;
  readonly priority: Priority;
  /** The last four digits of the creditor's account. They select the destination's behaviour. */
  readonly ending: string;
  readonly values: Partial<OriginalPacs008>;
}

/** The values that a story sets. All other values are drawn. */
interface Wanted {
  readonly corridor: Corridor;
  readonly debtorPsp?: string;
  readonly creditorPsp?: string;
  readonly ending?: string;
  readonly priority?: Priority;
}

/**
 * How often each behaviour of the destinations occurs. Silence is rare, because only a person can end a
 * payment with a silent destination.
 */
const endings: readonly { readonly ending: string; readonly weight: number }[] = [
  { ending: endingIn.creditedAtOnce, weight: 28 },
  { ending: endingIn.creditedLater, weight: 22 },
  { ending: endingIn.rejected, weight: 8 },
  { ending: endingIn.blocked, weight: 5 },
  { ending: endingIn.silent, weight: 1.5 },
  { ending: endingIn.tooLate, weight: 4 },
  { ending: endingIn.cut, weight: 8 },
  { ending: endingIn.refusing, weight: 6 },
  { ending: endingIn.repeating, weight: 5 },
  { ending: endingIn.contradicting, weight: 5 },
  { ending: endingIn.interim, weight: 7 },
];

export function draftPayment(random: Random, canaries: readonly string[], wanted: Wanted): Draft {
  const { corridor } = wanted;
  const { source, destination } = corridor;
  const debtorPsp = wanted.debtorPsp ?? random.pick(pspsOf(source.country));
  const creditorPsp = wanted.creditorPsp ?? random.pick(pspsOf(destination.country));
  const ending = wanted.ending ?? random.weighted(endings).ending;
  const priority = wanted.priority ?? (random.chance(50) ? 'HIGH' : 'NORM');
  const party = (country: string) => ({ name: drawName(random, canaries), townName: country, country });
  const [uetr, messageId] = [random.uuid(), `CHAOS${random.hex(28)}`];
  const values: Partial<OriginalPacs008> = {
    uetr,
    messageIdentification: messageId,
    clearingSystemId: source.system,
    priority,
    debtorAgent: { bicfi: debtorPsp },
    creditorAgent: { bicfi: creditorPsp },
    instructedAgent: { bicfi: `HARB${source.country}S0` },
    debtor: party(source.country),
    creditor: party(destination.country),
    debtorAccount: { otherId: drawAccount(random, canaries, random.digits(4)) },
    creditorAccount: { otherId: drawAccount(random, canaries, ending) },
  };
  return { corridor, debtorPsp, creditorPsp, uetr, messageId, priority, ending, values };
}

/**
 * Writes the pacs.008 of a payment with the terms of a quote or of own FX. `acceptedAt` becomes its
 * acceptance time (TIM-4).
 */
export function write(
  { values }: Draft,
  terms: QuoteOnOffer | Terms,
  acceptedAt: number,
  changes: Partial<OriginalPacs008> = {},
): string {
  const at = new Date(acceptedAt).toISOString();
  const times = { acceptanceDateTime: at, creationDateTime: at };
  return buildPacs008(instruction(terms, { ...values, ...times, ...changes }));
}
