// Compares the forwarded pacs.008 with the pacs.008 from the source. Some elements pass unaltered (MSG-9),
// others get new values (MSG-10). The check compares both trees element by element, so that it reports every
// missing element.
import { halfUp, amount, same } from '../decimals.ts';
import { at, named, render, textAt, type Element } from '../read-message.ts';
import type { Report } from '../verdict.ts';
import type { Payment, Quote, World } from '../world.ts';
import { faultsIn } from './lines.ts';

/** Children of `CdtTrfTxInf` that MSG-10 changes. All other children pass unaltered. */
const changed: ReadonlySet<string> = new Set([
  'IntrBkSttlmAmt',
  'IntrBkSttlmDt',
  'InstgAgt',
  'InstdAgt',
  'IntrmyAgt1',
  'IntrmyAgt1Acct',
  'IntrmyAgt2',
  'IntrmyAgt2Acct',
  'PrvsInstgAgt1',
  'PrvsInstgAgt1Acct',
]);

export function judgeForwarded(world: World, report: Report, payment: Payment): void {
  const { uetr, original, forwarded } = payment;
  const leg = forwarded?.message?.root;
  const [from, to] = [at(original, 'CdtTrfTxInf'), at(leg, 'CdtTrfTxInf')];
  if (original === undefined || leg === undefined || from === undefined || to === undefined) {
    report.breach(
      'I-11',
      'The instruction of an accepted payment, or its submission, cannot be read.',
      uetr,
      [payment.row.forwarded_message_id],
    );
    return;
  }
  const unaltered = passing(from, to);
  if (unaltered.length > 0) {
    report.breach('I-11', 'The forwarded pacs.008 does not pass on what it must (MSG-9).', uetr, unaltered);
  }
  const quote = world.quotes.get(textAt(from, 'AgrdRate/QtId') ?? '');
  const sides = { leg, from, to, quote, system: destinationOf(world, original) };
  const set = [...amountFaults(world, payment, sides), ...agentFaults(world, sides)];
  if (set.length > 0)
    report.breach('I-11', 'The forwarded pacs.008 does not have what MSG-10 sets.', uetr, set);
}

/** Returns the differences in elements that no rule changes, one for each element name. */
function passing(from: Element, to: Element): readonly string[] {
  const names = new Set(
    [...from.children, ...to.children].map(({ name }) => name).filter((name) => !changed.has(name)),
  );
  return [...names].flatMap((name) => {
    const [sent, passed] = [from, to].map((side) => named(side, name).map(render).join(''));
    return sent === passed ? [] : [`${name}: ${passed ?? ''} instead of ${sent ?? ''}`];
  });
}

/** Returns the creditor agent's clearing system in the quoted currency. */
export function destinationOf({ reference }: World, original: Element | undefined): string | undefined {
  const transaction = at(original, 'CdtTrfTxInf');
  const currency = textAt(transaction, 'AgrdRate/QtdCcy');
  const agent = reference.find(at(transaction, 'CdtrAgt'));
  return agent?.systems.find((id) => reference.systems.get(id)?.currency === currency);
}

interface Sides {
  /** The root element `FIToFICstmrCdtTrf` of the forwarded message. */
  readonly leg: Element;
  readonly from: Element;
  readonly to: Element;
  readonly quote: Quote | undefined;
  /** Id of the destination's clearing system. */
  readonly system: string | undefined;
}

/** Returns the faults in the settlement amount, its currency and its clearing system. */
function amountFaults(
  { reference }: World,
  { row, original }: Payment,
  { leg, from, to, quote, system }: Sides,
): readonly string[] {
  const currency = textAt(from, 'AgrdRate/QtdCcy') ?? '';
  const rate = amount(textAt(from, 'AgrdRate/PreAgrdXchgRate'));
  const due =
    quote === undefined
      ? halfUp(
          amount(textAt(from, 'IntrBkSttlmAmt')).times(rate),
          reference.decimals.get(currency) ?? 2,
        ).toFixed()
      : quote.request.destination_amounts[quote.index];
  const is = textAt(to, 'IntrBkSttlmAmt');
  const named = textAt(leg, 'GrpHdr/SttlmInf/ClrSys/Prtry') ?? textAt(leg, 'GrpHdr/SttlmInf/ClrSys/Cd');
  return [
    ...(same(is, due) ? [] : [`IntrBkSttlmAmt: ${is ?? 'missing'} instead of ${due ?? ''}`]),
    ...faultsIn([
      ['IntrBkSttlmAmt/@Ccy', at(to, 'IntrBkSttlmAmt')?.attributes['Ccy'], currency],
      ['GrpHdr/SttlmInf/ClrSys', named, system],
      ['payments.destination_clearing_system', row.destination_clearing_system, system],
    ]),
    ...(textAt(leg, 'GrpHdr/MsgId') === textAt(original, 'GrpHdr/MsgId')
      ? ["GrpHdr/MsgId: the source's own (MSG-9)"]
      : []),
  ];
}

/**
 * Returns the faults in the agents and accounts. They must come from the quote, or from the source's message
 * if there is no quote.
 */
function agentFaults({ reference }: World, { from, to, quote }: Sides): readonly string[] {
  const who = (side: Element, name: string) => reference.find(at(side, name))?.id;
  const accountOf = (side: Element, name: string) => textAt(side, `${name}/Id/Othr/Id`);
  const { request, index = 0 } = quote ?? {};
  const sap = request?.destination_sap_ids[index] ?? who(from, 'IntrmyAgt2');
  const account = request?.destination_account_ids[index] ?? accountOf(from, 'IntrmyAgt2Acct');
  return faultsIn([
    ['InstgAgt', who(to, 'InstgAgt'), sap],
    ['InstdAgt', who(to, 'InstdAgt'), who(from, 'CdtrAgt')],
    ['IntrmyAgt1', at(to, 'IntrmyAgt1'), undefined],
    ['PrvsInstgAgt1', who(to, 'PrvsInstgAgt1'), request?.source_sap_ids[index] ?? who(from, 'IntrmyAgt1')],
    [
      'PrvsInstgAgt1Acct',
      accountOf(to, 'PrvsInstgAgt1Acct'),
      request?.source_account_ids[index] ?? accountOf(from, 'IntrmyAgt1Acct'),
    ],
    ['IntrmyAgt2', who(to, 'IntrmyAgt2'), sap],
    ['IntrmyAgt2Acct', accountOf(to, 'IntrmyAgt2Acct'), account],
  ]);
}
