// The scheme's data from the dumped tables, in the form that the checks need.
import { amount, type Amount } from './decimals.ts';
import type { Row } from './read-evidence.ts';
import { textAt, at, type Element } from './read-message.ts';
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
  readonly leis: readonly string[];
  readonly otherIds: readonly string[];
  /** Member id by clearing system. */
  readonly memberships: ReadonlyMap<string, string>;
}

export interface FeeFormula {
  readonly nominal: Amount;
  /** Share of the amount, as a ratio. */
  readonly ratio: Amount;
}

export interface Reference {
  readonly systems: ReadonlyMap<string, System>;
  readonly institutions: ReadonlyMap<string, Institution>;
  /** By currency. */
  readonly decimals: ReadonlyMap<string, number>;
  /** By `country currency`. */
  readonly schemeFees: ReadonlyMap<string, FeeFormula>;
  readonly creditorAgentFees: ReadonlyMap<string, FeeFormula>;
  readonly accounts: readonly Account[];
  /** SAP that an FX provider may use, by `fxp country`; only validated ones. */
  readonly saps: ReadonlyMap<string, string>;
  /** The institution that an agent element such as `DbtrAgt` names; undefined if it names no institution, or two. */
  readonly find: (agent: Element | undefined, system?: string) => Institution | undefined;
  /** Finds an institution by BIC, LEI, other id or internal id. */
  readonly findById: (type: string, value: string) => Institution | undefined;
}

export interface Account {
  readonly owner: string;
  readonly sap: string;
  readonly country: string;
  readonly currency: string;
  readonly id: string;
}

type Tables = Readonly<Record<string, readonly Row[]>>;

const text = (row: Row, column: string): string => {
  const value = row[column];
  return typeof value === 'string' ? value : '';
};

export function openReference(tables: Tables): Reference {
  const rows = (table: string): readonly Row[] => tables[table] ?? [];
  const institutions = institutionsOf(tables);
  const lookup = new Map<string, Institution>();
  for (const one of institutions.values()) {
    for (const bic of one.bics) lookup.set(`BICFI ${headOffice(bic)}`, one);
    for (const lei of one.leis) lookup.set(`LEI ${lei}`, one);
    for (const id of one.otherIds) lookup.set(`otherId ${id}`, one);
    for (const [system, member] of one.memberships) lookup.set(`member ${system} ${member}`, one);
  }
  const findById = (type: string, value: string) =>
    type === 'internalId'
      ? institutions.get(value)
      : lookup.get(`${type} ${type === 'BICFI' ? headOffice(value) : value}`);
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
      rows('creditor_agent_fee_formulas').map((row) => [place(row), fee(row, 'percentage_fee', 100)]), // FEE-2
    ),
    accounts: rows('settlement_accounts').map((row) => ({
      owner: text(row, 'owner_id'),
      sap: text(row, 'sap_id'),
      country: text(row, 'country_code'),
      currency: text(row, 'currency_code'),
      id: text(row, 'account_id'),
    })),
    saps: new Map(
      rows('fxp_settlement_access')
        .filter((row) => row['validated'] === true)
        .map((row) => [`${text(row, 'fxp_id')} ${text(row, 'country_code')}`, text(row, 'sap_id')]),
    ),
    find: (agent, system) => findAgent(lookup, agent, system),
    findById,
  };
}

type Receiving = Pick<DeliveryRow, 'kind' | 'party'>;

/** Deliveries that are repeated until they are taken or given up (CBK-1). An instruction ends differently (TIM-3). */
export const toldKinds: readonly string[] = ['callback', 'confirmation', 'notification', 'book'];

/** The receiver of a message, named as in the faults: `source/SGDFAST`, `fxp/MERISGS0`. */
export function receiverOf(reference: Pick<Reference, 'systems'>, { kind, party }: Receiving): string {
  if (kind === 'callback') return sourceOf(party);
  if (kind === 'notification' || (kind === 'book' && !reference.systems.has(party))) return `fxp/${party}`;
  return destinationOf(reference, party);
}

function sourceOf(system: string | null): string {
  return `source/${system ?? ''}`;
}

/** The operator of the system. Several systems may share one. */
function destinationOf({ systems }: Pick<Reference, 'systems'>, system: string | null): string {
  return `destination/${systems.get(system ?? '')?.operatorId ?? ''}`;
}

/** REF-4: a BIC that ends in XXX is equal to its BIC8. */
function headOffice(bic: string): string {
  return bic.length === 11 && bic.endsWith('XXX') ? bic.slice(0, 8) : bic;
}

function findAgent(
  lookup: ReadonlyMap<string, Institution>,
  agent: Element | undefined,
  system: string | undefined,
): Institution | undefined {
  const institution = at(agent, 'FinInstnId');
  const bic = textAt(institution, 'BICFI');
  const lei = textAt(institution, 'LEI');
  const other = textAt(institution, 'Othr/Id');
  const member = textAt(institution, 'ClrSysMmbId/MmbId');
  const memberSystem =
    textAt(institution, 'ClrSysMmbId/ClrSysId/Prtry') ??
    textAt(institution, 'ClrSysMmbId/ClrSysId/Cd') ??
    system ??
    '';
  const found = [
    ...(bic === undefined ? [] : [lookup.get(`BICFI ${headOffice(bic)}`)]),
    ...(member === undefined ? [] : [lookup.get(`member ${memberSystem} ${member}`)]),
  ];
  const weaker = [
    ...(lei === undefined ? [] : [lookup.get(`LEI ${lei}`)]),
    ...(other === undefined ? [] : [lookup.get(`otherId ${other}`)]),
  ];
  // no identifier may name another institution, and an LEI must match if the institution has one (PAY-6)
  const one = found.length > 0 ? found[0] : weaker.find((known) => known !== undefined);
  const isOne =
    found.every((each) => each === one) && weaker.every((each) => each === undefined || each === one);
  const isLeiInOrder = lei === undefined || one?.leis.length === 0 || one?.leis.includes(lei) === true;
  return isOne && isLeiInOrder ? one : undefined;
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
      const identifiers = [...of('institution_identifiers', id)].sort(
        (one, other) => Number(one['position']) - Number(other['position']),
      );
      const values = (type: string) =>
        identifiers.filter((one) => one['identifier_type'] === type).map((one) => text(one, 'value'));
      return [
        id,
        {
          id,
          bics: values('BICFI'),
          leis: values('LEI'),
          otherIds: values('otherId'),
          memberships: new Map(
            of('institution_memberships', id).map((one) => [
              text(one, 'clearing_system_id'),
              text(one, 'member_id'),
            ]),
          ),
        },
      ];
    }),
  );
}
