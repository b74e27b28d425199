// The forwarded pacs.008 against the one that the source sent: what passes unaltered (MSG-9), and what changes, to what
// (MSG-10). Element by element on both trees, so that nothing can be forgotten without being named.
import { halfUp, amount, same } from '../decimals.ts';
import { at, contentOf, named, render, textAt, type Element } from '../read-message.ts';
import { clock } from '../rows.ts';
import type { Report } from '../verdict.ts';
import type { Payment, Quote, World } from '../world.ts';

/** Of `CdtTrfTxInf`: what MSG-10 names. Everything else passes as it is. */
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
  const set = [
    ...groupFaults(world, payment, leg),
    ...amountFaults(world, payment, { from, to, quote }),
    ...agentFaults(world, payment, { from, to, quote }),
  ];
  if (set.length > 0)
    report.breach('I-11', 'The forwarded pacs.008 does not have what MSG-10 sets.', uetr, set);
}

/** Every element of either side that no rule changes, under its name and place. */
function passing(from: Element, to: Element): readonly string[] {
  const names = new Set(
    [...from.children, ...to.children].map(({ name }) => name).filter((name) => !changed.has(name)),
  );
  return [...names].flatMap((name) => {
    const [sent, passed] = [from, to].map((side) => named(side, name).map(render).join(''));
    return sent === passed ? [] : [`${name}: ${passed ?? ''} instead of ${sent ?? ''}`];
  });
}

const differs = (path: string, is: string | undefined, mustBe: string | undefined): readonly string[] =>
  is === mustBe ? [] : [`${path}: ${is ?? 'missing'} instead of ${mustBe ?? 'none'}`];

function groupFaults(world: World, { original, row, judgedAt }: Payment, leg: Element): readonly string[] {
  const system = (root: Element | undefined) =>
    textAt(root, 'GrpHdr/SttlmInf/ClrSys/Prtry') ?? textAt(root, 'GrpHdr/SttlmInf/ClrSys/Cd');
  const destination = destinationOf(world, original);
  const created = Date.parse(textAt(leg, 'GrpHdr/CreDtTm') ?? '');
  return [
    ...differs('GrpHdr/SttlmInf/ClrSys', system(leg), destination),
    ...differs(
      'payments.destination_clearing_system',
      row.destination_clearing_system ?? undefined,
      destination,
    ),
    ...differs('GrpHdr/NbOfTxs', textAt(leg, 'GrpHdr/NbOfTxs'), '1'),
    ...differs('GrpHdr/SttlmInf/SttlmMtd', textAt(leg, 'GrpHdr/SttlmInf/SttlmMtd'), 'CLRG'),
    ...(textAt(leg, 'GrpHdr/MsgId') === textAt(original, 'GrpHdr/MsgId')
      ? ["GrpHdr/MsgId: the source's own (MSG-9)"]
      : []),
    ...(Math.abs(created - judgedAt) < 300_000
      ? []
      : [`GrpHdr/CreDtTm: ${textAt(leg, 'GrpHdr/CreDtTm') ?? ''}, judged ${clock(judgedAt)}`]),
  ];
}

/** The system in the quoted currency that the creditor agent is a member of. */
export function destinationOf({ reference }: World, original: Element | undefined): string | undefined {
  const transaction = at(original, 'CdtTrfTxInf');
  const currency = textAt(transaction, 'AgrdRate/QtdCcy');
  const agent = reference.find(at(transaction, 'CdtrAgt'));
  const systems = [...(agent?.memberships.keys() ?? [])].filter(
    (id) => reference.systems.get(id)?.currency === currency,
  );
  if (systems.length === 1) return systems[0];
  // an agent that is named by its member id alone
  const member = textAt(transaction, 'CdtrAgt/FinInstnId/ClrSysMmbId/MmbId');
  const bySystem = [...reference.systems.values()].filter(
    ({ id, currency: own }) =>
      own === currency &&
      member !== undefined &&
      reference.find(at(transaction, 'CdtrAgt'), id) !== undefined,
  );
  return bySystem.length === 1 ? bySystem[0]?.id : systems[0];
}

interface Sides {
  readonly from: Element;
  readonly to: Element;
  readonly quote: Quote | undefined;
}

function amountFaults(
  { reference }: World,
  { judgedAt }: Payment,
  { from, to, quote }: Sides,
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
  const dates = [judgedAt, judgedAt - 60_000, judgedAt + 1_000].map((one) => clock(one).slice(0, 10));
  const date = textAt(to, 'IntrBkSttlmDt') ?? '';
  return [
    ...(same(is, due) ? [] : [`IntrBkSttlmAmt: ${is ?? 'missing'} instead of ${due ?? ''}`]),
    ...differs('IntrBkSttlmAmt/@Ccy', at(to, 'IntrBkSttlmAmt')?.attributes['Ccy'], currency),
    ...(dates.includes(date) ? [] : [`IntrBkSttlmDt: ${date} instead of ${dates[0] ?? ''}`]),
  ];
}

function agentFaults(world: World, { row }: Payment, { from, to, quote }: Sides): readonly string[] {
  const { reference } = world;
  const system = row.destination_clearing_system ?? undefined;
  const who = (side: Element, name: string) => reference.find(at(side, name), system)?.id;
  const accountOf = (side: Element, name: string) =>
    textAt(side, `${name}/Id/Othr/Id`) ?? textAt(side, `${name}/Id/IBAN`);
  const { request, index = 0 } = quote ?? {};
  const destinationSap = request?.destination_sap_ids[index] ?? who(from, 'IntrmyAgt2');
  const moved = (given: string, place: string, sap: string | undefined, account: string | undefined) => {
    const isGiven = at(from, given) !== undefined;
    const isAccountGiven = at(from, `${given}Acct`) !== undefined;
    return [
      ...(isGiven
        ? differs(place, contentOf(at(to, place)), contentOf(at(from, given)))
        : differs(place, who(to, place), sap)),
      ...(isAccountGiven
        ? differs(`${place}Acct`, contentOf(at(to, `${place}Acct`)), contentOf(at(from, `${given}Acct`)))
        : differs(`${place}Acct`, accountOf(to, `${place}Acct`), account)),
    ];
  };
  return [
    ...differs('InstgAgt', who(to, 'InstgAgt'), destinationSap),
    ...differs('InstdAgt', who(to, 'InstdAgt'), who(from, 'CdtrAgt')),
    ...['IntrmyAgt1', 'IntrmyAgt1Acct']
      .filter((name) => at(to, name) !== undefined)
      .map((name) => `${name}: still there`),
    ...moved(
      'IntrmyAgt1',
      'PrvsInstgAgt1',
      request?.source_sap_ids[index],
      request?.source_account_ids[index],
    ),
    ...moved(
      'IntrmyAgt2',
      'IntrmyAgt2',
      destinationSap,
      request?.destination_account_ids[index] ?? accountOf(from, 'IntrmyAgt2Acct'),
    ),
  ];
}
