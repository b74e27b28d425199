// Lists the tables of each kind of document (core/scheme/documents.ts). read.ts and write.ts use the list,
// and db/migrations/rights.ts derives the rights of the api from it.
import type { SchemeDocuments, SchemeKind } from '../../core/scheme/documents.ts';
import { addressInputs, addressTypes } from './addresses.ts';
import { clients } from './clients.ts';
import { institutions } from './institutions.ts';
import type { SchemeKindTables } from './kind-table.ts';
import { feeFormulas, fxPrices, settlementAccounts } from './money.ts';
import { clearingSystems, countries, currencies, operators } from './systems.ts';

export const kindTables: { readonly [Kind in SchemeKind]: SchemeKindTables<SchemeDocuments[Kind]> } = {
  currencies,
  countries,
  operators,
  'clearing-systems': clearingSystems,
  'address-inputs': addressInputs,
  'address-types': addressTypes,
  institutions,
  'settlement-accounts': settlementAccounts,
  'fee-formulas': feeFormulas,
  clients,
  'fx-prices': fxPrices,
};
