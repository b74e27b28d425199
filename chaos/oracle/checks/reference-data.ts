// The scheme's data as the run found it: no run changes it, so that the tables must still say what the demo's files say
// (db/seed). Everything else is judged by these tables.
import { readFileSync } from 'node:fs';
import { same } from '../decimals.ts';
import type { Report } from '../verdict.ts';
import type { World } from '../world.ts';

type Values = Readonly<Record<string, unknown>>;

function seedFile(name: string): readonly Values[] {
  return JSON.parse(
    readFileSync(new URL(`../../../db/seed/${name}.json`, import.meta.url), 'utf8'),
  ) as Values[];
}

/** A table, its rows by key, and what they must hold: a column and its value; numbers are compared as numbers. */
interface Expected {
  readonly table: string;
  readonly key: Values;
  readonly values: Values;
}

function expected(): readonly Expected[] {
  const currencies = seedFile('currencies').map((one) => ({
    table: 'currencies',
    key: { currency_code: one['currencyCode'] },
    values: { decimal_places: String(one['decimalPlaces']) },
  }));
  const systems = seedFile('clearing-systems').map((one) => ({
    table: 'clearing_systems',
    key: { clearing_system_id: one['clearingSystemId'] },
    values: {
      operator_id: one['operatorId'],
      currency_code: one['currencyCode'],
      max_amount: one['maxAmount'],
    },
  }));
  const fees = seedFile('fee-formulas').flatMap((one) => {
    const key = { country_code: one['countryCode'], currency_code: one['currencyCode'] };
    const [scheme, agent] = [one['schemeFee'] as Values, one['creditorAgentFee'] as Values];
    return [
      {
        table: 'scheme_fee_formulas',
        key,
        values: {
          nominal_fee_amount: scheme['nominalFeeAmount'],
          percentage_fee_as_ratio: scheme['percentageFeeAsRatio'],
        },
      },
      {
        table: 'creditor_agent_fee_formulas',
        key,
        values: { nominal_fee_amount: agent['nominalFeeAmount'], percentage_fee: agent['percentageFee'] },
      },
    ];
  });
  return [...currencies, ...systems, ...fees];
}

export function judgeReferenceData({ evidence }: World, report: Report): void {
  const all = expected();
  report.examined('R:REF-6', "rows of the scheme's data", all.length);
  for (const { table, key, values } of all) {
    const row = (evidence.tables[table] ?? []).find((one) =>
      Object.entries(key).every(([column, value]) => one[column] === value),
    );
    const isKept = Object.entries(values).every(
      ([column, value]) => row?.[column] === value || same(row?.[column], value),
    );
    if (isKept) continue;
    const statement = `A row of ${table} is not the one that the demo's data has.`;
    report.breach('R:REF-6', statement, Object.values(key).join(' '), [row, values]);
  }
}
