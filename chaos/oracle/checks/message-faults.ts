// What a pacs.008 breaks by itself, by the scheme's data and by the clock of the database: MSG-4 to MSG-7, TIM-4,
// PAY-6.
import { amount } from '../decimals.ts';
import { at, named, textAt, type Element } from '../read-message.ts';
import type { Institution } from '../reference.ts';
import { clock } from '../rows.ts';
import type { Payment, World } from '../world.ts';
import { destinationOf } from './forwarded.ts';

/** A rule that a message breaks, and the code that it must be told. */
export interface Fault {
  readonly rule: string;
  readonly code: string;
  readonly text: string;
}

/** What is read of a message once. */
export interface Case {
  readonly world: World;
  readonly payment: Payment;
  readonly group: Element | undefined;
  readonly transaction: Element;
  readonly debtorAgent: Institution | undefined;
  readonly creditorAgent: Institution | undefined;
  readonly destination: string | undefined;
  readonly charges: readonly Element[];
}

/** All of these. */
export function messageFaults(judged: Case): readonly Fault[] {
  return [...guidelines(judged), ...currencies(judged), ...freshness(judged), ...agents(judged)];
}

export const fault = (
  holds: boolean | undefined,
  rule: string,
  code: string,
  text: string,
): readonly Fault[] => (holds === true ? [] : [{ rule, code, text }]);

const isUetr = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const isPlain = /^(0|[1-9]\d{0,17})(\.\d{1,5})?$/; // MON-1
const hasStraySlash = /^\/|\/$|\/\//; // MSG-5

function guidelines({ world, payment, group, transaction, creditorAgent, charges }: Case): readonly Fault[] {
  const system = textAt(group, 'SttlmInf/ClrSys/Prtry') ?? textAt(group, 'SttlmInf/ClrSys/Cd');
  const ids = ['InstrId', 'EndToEndId', 'TxId', 'ClrSysRef'].map(
    (name) => textAt(transaction, `PmtId/${name}`) ?? '',
  );
  const required = world.reference.required.get(creditorAgent?.country ?? '') ?? [];
  const amounts = [
    at(transaction, 'IntrBkSttlmAmt'),
    at(charges[0], 'Amt'),
    at(charges[1], 'Amt'),
    at(transaction, 'InstdAmt'),
  ];
  const agentOf = (charge: Element | undefined, where: string | undefined) =>
    world.reference.find(at(charge, 'Agt'), where);
  return [
    ...fault(
      textAt(group, 'NbOfTxs') === '1' && named(payment.original, 'CdtTrfTxInf').length === 1,
      'MSG-5',
      'FF01',
      'not one transaction',
    ),
    ...fault(textAt(group, 'SttlmInf/SttlmMtd') === 'CLRG', 'MSG-5', 'FF01', 'SttlmMtd is not CLRG'),
    ...fault(system === payment.row.source_clearing_system, 'MSG-5', 'AGNT', `ClrSys ${system ?? 'missing'}`),
    ...fault(
      ['HIGH', 'NORM', undefined].includes(textAt(transaction, 'PmtTpInf/InstrPrty')),
      'MSG-5',
      'FF01',
      'InstrPrty',
    ),
    ...fault(textAt(transaction, 'ChrgBr') === 'SHAR', 'MSG-5', 'FF01', 'ChrgBr is not SHAR'),
    ...fault(isUetr.test(textAt(transaction, 'PmtId/UETR') ?? ''), 'MSG-5', 'FF01', 'UETR is no UUID v4'),
    ...fault(payment.acceptedAt !== undefined, 'MSG-5', 'CH21', 'AccptncDtTm is missing'),
    ...fault(!ids.some((id) => hasStraySlash.test(id)), 'MSG-5', 'FF01', 'an id with a stray slash'),
    ...fault(charges.length === 2, 'MSG-6', 'FF01', `${charges.length} ChrgsInf`),
    ...fault(
      agentOf(charges[0], payment.row.source_clearing_system)?.id ===
        world.reference.find(at(transaction, 'DbtrAgt'), payment.row.source_clearing_system)?.id,
      'MSG-6',
      'FF01',
      'ChrgsInf[1]/Agt is not the debtor agent',
    ),
    ...fault(
      agentOf(charges[1], destinationOf(world, payment.original))?.id === creditorAgent?.id,
      'MSG-6',
      'FF01',
      'ChrgsInf[2]/Agt is not the creditor agent',
    ),
    ...fault(
      !required.includes('purposeCode') || textAt(transaction, 'Purp/Cd') !== undefined,
      'MSG-7',
      'CH21',
      'Purp/Cd is missing',
    ),
    ...fault(
      !required.includes('categoryPurposeCode') || textAt(transaction, 'PmtTpInf/CtgyPurp/Cd') !== undefined,
      'MSG-7',
      'CH21',
      'CtgyPurp/Cd is missing',
    ),
    ...amounts.flatMap((element, index) => amountFaults(world, element, index !== 1)),
  ];
}

/** MON-1, MON-2. */
function amountFaults(
  { reference }: World,
  element: Element | undefined,
  mustBeAboveZero: boolean,
): readonly Fault[] {
  if (element === undefined) return [];
  const { text, attributes } = element;
  const currency = attributes['Ccy'] ?? '';
  const places = reference.decimals.get(currency);
  const written = text.includes('.') ? text.length - text.indexOf('.') - 1 : 0;
  return [
    ...fault(isPlain.test(text), 'MON-1', 'FF01', `${element.name} ${text}`),
    ...fault(!mustBeAboveZero || amount(text).gt(0), 'MSG-4', 'FF01', `${element.name} is zero`),
    ...(places === undefined
      ? []
      : fault(written <= places, 'MON-2', 'CH20', `${element.name} ${currency} ${text}`)),
  ];
}

function currencies({ world, payment, transaction, creditorAgent, charges }: Case): readonly Fault[] {
  const { reference } = world;
  const source = reference.systems.get(payment.row.source_clearing_system)?.currency;
  const quoted = textAt(transaction, 'AgrdRate/QtdCcy') ?? at(charges[1], 'Amt')?.attributes['Ccy'];
  const unit = textAt(transaction, 'AgrdRate/UnitCcy') ?? source;
  const instructed = at(transaction, 'InstdAmt')?.attributes['Ccy'];
  const used = [...reference.systems.values()]
    .filter(({ countries }) => countries.includes(creditorAgent?.country ?? ''))
    .map(({ currency }) => currency);
  const of = (element: Element | undefined) => element?.attributes['Ccy'];
  return [
    ...fault(of(at(transaction, 'IntrBkSttlmAmt')) === source, 'MSG-4', 'CURR', 'IntrBkSttlmAmt'),
    ...fault(unit === source, 'MSG-4', 'CURR', `AgrdRate/UnitCcy ${unit ?? ''}`),
    ...fault(of(at(charges[0], 'Amt')) === source, 'MSG-4', 'CURR', 'ChrgsInf[1]/Amt'),
    ...fault(of(at(charges[1], 'Amt')) === quoted, 'MSG-4', 'CURR', 'ChrgsInf[2]/Amt'),
    ...fault(
      creditorAgent === undefined || used.includes(quoted ?? ''),
      'MSG-4',
      'CURR',
      `AgrdRate/QtdCcy ${quoted ?? ''}`,
    ),
    ...fault(
      instructed === undefined || [source, quoted].includes(instructed),
      'MSG-4',
      'CURR',
      `InstdAmt ${instructed ?? ''}`,
    ),
  ];
}

const maxAheadMs = 10_000; // TIM-4
const clockMs = 5; // the time of a row is that of the begin of its statement

/** TIM-4, TIM-1: by the moment at which it was stored. */
function freshness({ world, payment, destination }: Case): readonly Fault[] {
  const { acceptedAt, submission, row } = payment;
  const receivedAt = submission?.createdAt;
  const system = world.reference.systems.get(row.source_clearing_system);
  if (acceptedAt === undefined || receivedAt === undefined || system === undefined) return [];
  const ageMs = receivedAt - acceptedAt;
  const isHigh = textAt(payment.original, 'CdtTrfTxInf/PmtTpInf/InstrPrty') === 'HIGH';
  const deadlineMs =
    (world.reference.systems.get(destination ?? '')?.maxExecutionSeconds ?? Infinity) * 1_000;
  const stated = `accepted ${clock(acceptedAt)}, stored ${clock(receivedAt)}`;
  return [
    ...fault(ageMs <= system.maxAcceptanceAgeSeconds * 1_000 + clockMs, 'TIM-4', 'TM01', stated),
    ...fault(ageMs >= -maxAheadMs - 1_000, 'TIM-4', 'TM01', stated), // it may have been judged a little later
    ...fault(!isHigh || ageMs < deadlineMs + clockMs, 'TIM-1', 'TM01', stated),
  ];
}

function agents({ payment, debtorAgent, creditorAgent, destination }: Case): readonly Fault[] {
  const isPsp = (one: Institution | undefined) => one?.roles.includes('psp') === true;
  const isDebtor =
    isPsp(debtorAgent) &&
    debtorAgent?.isOnboarded === true &&
    debtorAgent.memberships.has(payment.row.source_clearing_system);
  if (!isPsp(creditorAgent)) {
    return [
      ...fault(isDebtor, 'PAY-6', 'AGNT', 'debtor agent'),
      { rule: 'PAY-6', code: 'RC07', text: 'creditor agent unknown' },
    ];
  }
  return [
    ...fault(isDebtor, 'PAY-6', 'AGNT', 'debtor agent is no onboarded member of the submitter'),
    ...fault(
      creditorAgent?.isOnboarded === true && destination !== undefined,
      'PAY-6',
      'AGNT',
      'creditor agent is not onboarded',
    ),
  ];
}
