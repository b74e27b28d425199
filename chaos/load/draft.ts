// A payment as its sender plans it before it has a quote or a time: parties, accounts, texts, ids. Everything is drawn
// at once, so that the same seed makes the same payment. `write` makes the bytes once the terms are known.
import { buildPacs008, type OriginalPacs008 } from '../../core/iso20022/build-pacs008.ts';
import type { AgentIdentification } from '../../core/iso20022/parties.ts';
import type { QuoteOnOffer } from '../../fixtures/bodies.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { ibanOf } from '../../fixtures/iban.ts';
import { instruction, type Terms } from '../../fixtures/instruction.ts';
import { drawElements, drawWriting } from './dress.ts';
import type { Edit } from './edits.ts';
import { drawAccount, drawName, drawRemittance } from './people.ts';
import type { Random } from './random.ts';
import { leiOf, pspsOf, type Corridor } from './scheme.ts';

export type Priority = OriginalPacs008['priority'];

export interface Draft {
  readonly corridor: Corridor;
  /** BIC of the debtor agent: its client id. */
  readonly debtorPsp: string;
  readonly creditorPsp: string;
  readonly uetr: string;
  readonly messageId: string;
  readonly priority: Priority;
  /** The last four digits of the creditor's account. */
  readonly ending: string;
  readonly contentType: string;
  readonly values: Partial<OriginalPacs008>;
  readonly dress: Edit;
  /** Formats the time of acceptance. */
  readonly writeTime: (at: Date) => string;
}

/** The values that a story fixes; the rest is drawn. */
export interface Wanted {
  readonly corridor: Corridor;
  readonly debtorPsp?: string;
  readonly creditorPsp?: string;
  readonly ending?: string;
  readonly priority?: Priority;
  /** Leaves the builder's text unchanged, so that the story can edit it. */
  readonly plain?: boolean;
}

/**
 * How often each behaviour of the destinations occurs. A silent one is rare, because only a person can end such a
 * payment.
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
  { ending: '4711', weight: 1 }, // an ending that is not in the legend
];

/** Identifies the institution in one of the possible ways (REF-4). */
function drawAgent(random: Random, bic: string): AgentIdentification {
  const country = bic.slice(4, 6);
  const hasLei = bic.startsWith('LOTU');
  const ways: AgentIdentification[] = [
    { bicfi: bic },
    { bicfi: bic },
    { bicfi: `${bic}XXX` },
    { bicfi: bic, otherId: 'BRANCH-7' },
  ];
  if (hasLei) ways.push({ lei: leiOf(bic) }, { bicfi: bic, lei: leiOf(bic), name: 'Lotus & Söhne' });
  if (bic === 'LOTUDES0') ways.push({ bicfi: 'LOTUDES0BER' });
  const systems: Partial<Record<string, string>> = { SG: 'SGDFAST', TH: 'THBPPAY', MY: 'MYRRPP' };
  const clearingSystemId = systems[country];
  if (clearingSystemId !== undefined) {
    ways.push({ memberId: { clearingSystemId, memberId: `${bic.slice(0, 4)}${country}01` } });
  }
  return random.pick(ways);
}

const towns: Readonly<Partial<Record<string, string>>> = {
  SG: 'Singapore',
  TH: 'กรุงเทพมหานคร',
  MY: 'Kuala Lumpur',
  PH: 'Parañaque',
  ID: 'Jakarta',
  HK: '香港',
  IN: 'मुंबई',
  JP: '東京',
  DE: 'Köln',
  FR: "L'Haÿ-les-Roses",
};

export function draftPayment(random: Random, canaries: readonly string[], wanted: Wanted): Draft {
  const { corridor, plain = false } = wanted;
  const { source, destination } = corridor;
  const debtorPsp = wanted.debtorPsp ?? random.pick(pspsOf(source.country));
  const creditorPsp = wanted.creditorPsp ?? random.pick(pspsOf(destination.country));
  const ending = wanted.ending ?? random.weighted(endings).ending;
  const priority = wanted.priority ?? (random.chance(50) ? 'HIGH' : 'NORM');
  const party = (country: string) => ({
    name: drawName(random, canaries),
    townName: towns[country] ?? country,
    country,
  });
  const account = drawAccount(random, canaries, ending);
  const hasIban = destination.currency === 'EUR' && random.chance(50);
  const remittanceInformation = random.chance(60) ? drawRemittance(random) : undefined;
  const hasRemittance = remittanceInformation !== undefined;
  const [uetr, messageId] = [random.uuid(), `CHAOS${random.hex(28)}`];
  const values: Partial<OriginalPacs008> = {
    uetr,
    messageIdentification: messageId,
    clearingSystemId: source.system,
    instructionId: `I-${random.hex(8)}`,
    endToEndId: random.pick(['NOTPROVIDED', `E2E/${random.hex(6)}`, `E2E.2026 ${random.digits(4)}`]),
    transactionId: `TX-${random.hex(8)}`,
    priority,
    categoryPurpose: random.pick(['CASH', 'SUPP', 'SALA']),
    purpose: random.pick(['GDDS', 'OTHR', 'SALA', 'RENT']),
    debtorAgent: drawAgent(random, debtorPsp),
    creditorAgent: drawAgent(random, creditorPsp),
    instructingAgent: { bicfi: debtorPsp },
    instructedAgent: { bicfi: `HARB${source.country}S0` },
    debtor: party(source.country),
    creditor: party(destination.country),
    debtorAccount: { otherId: drawAccount(random, canaries, random.digits(4)) },
    creditorAccount: hasIban
      ? { iban: ibanOf(destination.country, random.digits(23), ending) }
      : { otherId: account },
    ...(hasRemittance ? { remittanceInformation } : {}),
  };
  const elements = drawElements(random, {
    canaries,
    currency: source.currency,
    hasRemittance,
    isNormal: priority === 'NORM',
  });
  const { write, contentType } = drawWriting(random);
  const drawnForm = random.pick(timeForms);
  const writeTime = (at: Date) => (plain ? at.toISOString() : drawnForm(at));
  const dress: Edit = plain ? (xml) => xml : (xml) => write(elements(xml));
  return {
    corridor,
    debtorPsp,
    creditorPsp,
    uetr,
    messageId,
    priority,
    ending,
    contentType: plain ? 'application/xml' : contentType,
    values,
    dress,
    writeTime,
  };
}

/** Different ways to write the same moment. The gateway must forward each unchanged (MSG-9), and all mean the same. */
const timeForms: readonly ((at: Date) => string)[] = [
  (at) => at.toISOString(),
  (at) => at.toISOString(),
  (at) => at.toISOString().replace('Z', '+00:00'),
  (at) => at.toISOString().replace('Z', '250Z'),
  (at) => new Date(at.getTime() + 8 * 3_600_000).toISOString().replace('Z', '+08:00'),
  (at) => new Date(at.getTime() - 5.5 * 3_600_000).toISOString().replace(/\.\d+Z/, '-05:30'),
];

/** The bytes of a payment, with the terms of a quote or with own FX, accepted at that moment (TIM-4). */
export function write(
  draft: Draft,
  terms: QuoteOnOffer | Terms,
  acceptedAt: number,
  changes: Partial<OriginalPacs008> = {},
): string {
  const { values, dress, writeTime } = draft;
  const at = new Date(acceptedAt);
  const times = { acceptanceDateTime: writeTime(at), creationDateTime: at.toISOString() };
  const charged = { ...values, ...times, ...changes };
  return dress(buildPacs008(instruction(terms, charged)));
}
