// What senders are told of the scheme: formulas of fees, maxima, decimals. They compute payments by it, so that it is
// what is on record, and what payments are judged by (FEE-1, FEE-2, MON-2, PAY-6).
import { amount, same } from '../decimals.ts';
import type { Exchange } from '../evidence.ts';
import { parseExactly } from '../read-evidence.ts';
import type { Reference } from '../reference.ts';
import type { Report } from '../verdict.ts';
import type { World } from '../world.ts';

type Line = readonly [what: string, is: unknown, mustBe: unknown];
type Reading = (
  body: unknown,
  reference: Reference,
  place: { readonly country: string; readonly currency: string },
) => readonly Line[];

interface Formula {
  readonly nominalFeeAmount: string;
  readonly percentageFeeAsRatio: string;
}
interface AgentFormula {
  readonly nominalFee: { readonly amount: string; readonly currency: string };
  readonly percentageFee: string;
}
interface Maximum {
  readonly clearingSystemId: string;
  readonly maxAmount: string;
}

const readings: readonly (readonly [path: RegExp, rule: string, read: Reading])[] = [
  [
    /^\/fee-formulas\/network-scheme-fee\/(?<country>\w+)\/(?<currency>\w+)$/,
    'FEE-1',
    (body, { schemeFees }, { country, currency }) => {
      const [told, due] = [body as Formula, schemeFees.get(`${country} ${currency}`)];
      return [
        ['nominalFeeAmount', told.nominalFeeAmount, due?.nominal.toFixed()],
        ['percentageFeeAsRatio', told.percentageFeeAsRatio, due?.ratio.toFixed()],
      ];
    },
  ],
  [
    /^\/fee-formulas\/creditor-agent-fee\/(?<country>\w+)\/(?<currency>\w+)$/,
    'FEE-2',
    (body, { creditorAgentFees }, { country, currency }) => {
      const [told, due] = [body as AgentFormula, creditorAgentFees.get(`${country} ${currency}`)];
      return [
        ['nominalFee', told.nominalFee.amount, due?.nominal.toFixed()],
        // a percentage, where the formula of the scheme fee has a ratio
        ['percentageFee', amount(told.percentageFee).div(100).toFixed(), due?.ratio.toFixed()],
        ['currency', told.nominalFee.currency === currency ? '1' : '0', '1'],
      ];
    },
  ],
  [
    /^\/countries\/(?<country>\w+)\/currencies\/(?<currency>\w+)\/max-amounts$/,
    'PAY-6',
    (body, { systems }, { country, currency }) => {
      const told = body as readonly Maximum[];
      const due = [...systems.values()].filter(
        (one) => one.currency === currency && one.countries.includes(country),
      );
      return [
        ['systems', String(told.length), String(due.length)],
        ...told.map(({ clearingSystemId: id, maxAmount }): Line => [
          id,
          maxAmount,
          systems.get(id)?.maxAmount.toFixed(),
        ]),
      ];
    },
  ],
  [
    /^\/currencies\/(?<currency>\w+)$/,
    'MON-2',
    (body, { decimals }, { currency }) => {
      const { decimalPlaces } = body as { readonly decimalPlaces: string };
      return [['decimalPlaces', decimalPlaces, String(decimals.get(currency))]];
    },
  ],
];

export function judgeShownReference(world: World, report: Report): void {
  const answered = world.evidence.exchanges.filter(
    ({ method, status }) => method === 'GET' && status === 200,
  );
  for (const [path, rule, read] of readings) {
    const own = answered.filter((one) => path.test(one.path));
    report.examined(`R:${rule}`, `answers to GET ${path.source.split(/[\\(]+/)[1] ?? ''}`, own.length);
    for (const exchange of own) judgeShown(world, report, { exchange, path, rule, read });
  }
}

function judgeShown(
  { reference }: World,
  report: Report,
  {
    exchange,
    path,
    rule,
    read,
  }: { readonly exchange: Exchange; readonly path: RegExp; readonly rule: string; readonly read: Reading },
): void {
  const { country = '', currency = '' } = path.exec(exchange.path)?.groups ?? {};
  const wrong = read(parseExactly(exchange.responseBody ?? ''), reference, { country, currency }).filter(
    ([, is, mustBe]) => mustBe === undefined || !same(is, mustBe),
  );
  if (wrong.length === 0) return;
  const statement = "What was told of the scheme's data is not what is on record.";
  report.breach(`R:${rule}`, statement, exchange.path, wrong);
}
