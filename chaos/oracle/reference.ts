// Converts the scheme's data from the dumped tables to the form that the checks need.
import { amount, type Amount } from './decimals.ts';
import type { Row } from './read-evidence.ts';
import { textAt, type Element } from './read-message.ts';
import type { DeliveryRow } from './rows.ts';

export interface System {
  readonly id: string;
  readonly operatorId: string;
  readonly currency: string;
  readonly maxAmount: Amount;
  readonly maxExecutionSeconds: number;
  readonly maxResolutionSeconds: number;
  readonly countries: readonly string[];
}

export interface Institution {
  readonly id: string;
  readonly bics: readonly string[];
  /** Ids of the clearing systems in which the institution is a member. */
  readonly systems: readonly string[];
}

export interface FeeFormula {
  readonly nominal: Amount;
  /** Fraction of the amount, from 0 to 1. */
  readonly ratio: Amount;
}

export interface Reference {
  readonly systems: ReadonlyMap<string, System>;
  readonly institutions: ReadonlyMap<string, Institution>;
  /** Decimal places, keyed by currency. */
  readonly decimals: ReadonlyMap<string, number>;
  /** Keyed by country and currency, separated by a space. */
  readonly schemeFees: ReadonlyMap<string, FeeFormula>;
  readonly creditorAgentFees: ReadonlyMap<string, FeeFormula>;
  readonly accounts: readonly Account[];
  /**
   * The SAP that an FX provider may use, keyed by FX provider and country, separated by a space. Only
   * validated SAPs.
   */
  readonly saps: ReadonlyMap<string, string>;
  /**
   * Finds the institution in an agent element such as `DbtrAgt`. The load and the gateway always identify it
   * by BIC.
   */
  readonly find: (agent: Element | undefined) => Institution | undefined;
  readonly findByBic: (bic: string | undefined) => Institution | undefined;
}

export interface Account {
  readonly owner: string;
  readonly sap: string;
  readonly country: string;
  readonly currency: string;
}

type Tables = Readonly<Record<string, readonly Row[]>>;

const text = (row: Row, column: string): string => {
  const value = row[column];
  return typeof value === 'string' ? value : '';
};

export function openReference(tables: Tables): Reference {
  const rows = (table: string): readonly Row[] => tables[table] ?? [];
  const institutions = institutionsOf(tables);
  const byBic = new Map(
    [...institutions.values()].flatMap((one) => one.bics.map((bic) => [bic, one] as const)),
  );
  const findByBic = (bic = '') => byBic.get(bic);
  const fee = (row: Row, ratio: string, divisor: number): FeeFormula => ({
    nominal: amount(row['nominal_fee_amount']),
    ratio: amount(row[ratio]).div(divisor),
  });
  const place = (row: Row) => `${text(row, 'country_code')} ${text(row, 'currency_code')}`;
  return {
    systems: systemsOf(tables),
    institutions,
    decimals: new Map(
      rows('currencies').map((row) => [text(row, 'currency_code'), Number(row['decimal_places'])]),
    ),
    schemeFees: new Map(
      rows('scheme_fee_formulas').map((row) => [place(row), fee(row, 'percentage_fee_as_ratio', 1)]),
    ),
    creditorAgentFees: new Map(
      rows('creditor_agent_fee_formulas').map((row) => [place(row), fee(row, 'percentage_fee', 100)]), // FEE-2: in per cent
    ),
    accounts: rows('settlement_accounts').map((row) => ({
      owner: text(row, 'owner_id'),
      sap: text(row, 'sap_id'),
      country: text(row, 'country_code'),
      currency: text(row, 'currency_code'),
    })),
    saps: new Map(
      rows('fxp_settlement_access')
        .filter((row) => row['validated'] === true)
        .map((row) => [`${text(row, 'fxp_id')} ${text(row, 'country_code')}`, text(row, 'sap_id')]),
    ),
    find: (agent) => findByBic(textAt(agent, 'FinInstnId/BICFI')),
    findByBic,
  };
}

type Receiving = Pick<DeliveryRow, 'kind' | 'party'>;

/**
 * Kinds of deliveries that the gateway repeats until the receiver acknowledges them or they become dead
 * letters (CBK-1). The attempts of an instruction end differently (TIM-3).
 */
export const toldKinds: readonly string[] = ['callback', 'confirmation', 'notification', 'book'];

/**
 * Returns the receiver of a message, under the name that the faults use, such as `source/SGDFAST` or
 * `fxp/MERISGS0`.
 */
export function receiverOf(reference: Pick<Reference, 'systems'>, { kind, party }: Receiving): string {
  if (kind === 'callback') return `source/${party}`;
  if (kind === 'notification' || (kind === 'book' && !reference.systems.has(party))) return `fxp/${party}`;
  return `destination/${reference.systems.get(party)?.operatorId ?? ''}`; // systems may share an operator
}

function systemsOf(tables: Tables): ReadonlyMap<string, System> {
  const served = tables['country_clearing_systems'] ?? [];
  return new Map(
    (tables['clearing_systems'] ?? []).map((row) => {
      const id = text(row, 'clearing_system_id');
      return [
        id,
        {
          id,
          operatorId: text(row, 'operator_id'),
          currency: text(row, 'currency_code'),
          maxAmount: amount(row['max_amount']),
          maxExecutionSeconds: Number(row['max_execution_seconds']),
          maxResolutionSeconds: Number(row['max_resolution_seconds']),
          countries: served
            .filter((one) => one['clearing_system_id'] === id)
            .map((one) => text(one, 'country_code')),
        },
      ];
    }),
  );
}

function institutionsOf(tables: Tables): ReadonlyMap<string, Institution> {
  const of = (table: string, id: string): readonly Row[] =>
    (tables[table] ?? []).filter((row) => row['institution_id'] === id);
  return new Map(
    (tables['institutions'] ?? []).map((row) => {
      const id = text(row, 'institution_id');
      const bics = of('institution_identifiers', id)
        .filter((one) => one['identifier_type'] === 'BICFI')
        .sort((one, other) => Number(one['position']) - Number(other['position']));
      return [
        id,
        {
          id,
          bics: bics.map((one) => text(one, 'value')),
          systems: of('institution_memberships', id).map((one) => text(one, 'clearing_system_id')),
        },
      ];
    }),
  );
}
