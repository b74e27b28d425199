// Writes a change of the scheme into the tables of reference data, in the caller's transaction. First deletes
// rows that are gone, then writes new rows, in the order of the references between tables.
import { sql, type RawBuilder } from 'kysely';
import type { SchemeEdit } from '../../core/scheme/change.ts';
import { schemeKinds, type FxPricesDocument } from '../../core/scheme/documents.ts';
import type { Db } from '../pool/connection.ts';
import { enterPrices } from './fx-prices.ts';
import type { KindTable, SchemeRow } from './kind-table.ts';
import { kindTables } from './kinds.ts';

type Table = KindTable<never>;

/** @throws the database's error if remaining rows refer to a deleted one */
export async function writeEdits(trx: Db, edits: readonly SchemeEdit[]): Promise<void> {
  const placed = schemeKinds.flatMap((kind) => {
    const tables = kindTables[kind].tables as readonly Table[];
    const ofKind = edits.filter((edit) => edit.kind === kind);
    return tables.map((table) => ({ table, edits: ofKind }));
  });
  for (const { table, edits: ofKind } of placed.toReversed()) {
    for (const edit of ofKind) await removeRows(trx, table, edit);
  }
  for (const { table, edits: ofKind } of placed) {
    const rows = ofKind.flatMap(({ after }) => (after === null ? [] : table.rows(after as never)));
    await putRows(trx, table, rows);
  }
  for (const { kind, after } of edits) {
    if (kind === 'fx-prices' && after !== null) await enterPrices(trx, after as FxPricesDocument);
  }
}

async function removeRows(trx: Db, table: Table, { id, before, after }: SchemeEdit): Promise<void> {
  if (before === null && table.atEnd !== 'keep') return; // only 'keep' leaves rows of an object that ended earlier
  const name = sql.table(table.table);
  const isTheirs = sql.join(
    Object.entries(table.owner).map(([column, of]) => sql`t.${sql.ref(column)} = ${of(id)}`),
    sql` and `,
  );
  if (after === null && table.atEnd === 'mark') {
    await sql`update ${name} t set ended_at = now() where ${isTheirs}`.execute(trx);
  }
  if (table.atEnd === 'mark' || (after === null && table.atEnd === 'keep')) return;
  const rows = after === null ? [] : table.rows(after as never);
  const isSame = sql.join(
    table.key.map((column) => sql`n.${sql.ref(column)} = t.${sql.ref(column)}`),
    sql` and `,
  );
  await sql`delete from ${name} t where ${isTheirs}
    and not exists (select from ${asRows(name, rows)} n where ${isSame})`.execute(trx);
}

async function putRows(trx: Db, table: Table, rows: readonly SchemeRow[]): Promise<void> {
  const [row] = rows;
  if (row === undefined) return;
  const name = sql.table(table.table);
  const columns = Object.keys(row);
  const list = (names: readonly string[]) => sql.join(names.map((column) => sql.ref(column)));
  const set = [
    ...columns
      .filter((column) => !table.key.includes(column))
      .map((column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`),
    ...(table.atEnd === 'mark' ? [sql`ended_at = null`] : []),
  ];
  const onConflict = set.length === 0 ? sql`do nothing` : sql`do update set ${sql.join(set)}`;
  await sql`insert into ${name} as t (${list(columns)}) select ${list(columns)} from ${asRows(name, rows)} n
    on conflict (${list(table.key)}) ${onConflict}`.execute(trx);
}

const asRows = (table: RawBuilder<unknown>, rows: readonly SchemeRow[]) =>
  sql`jsonb_populate_recordset(null::${table}, ${JSON.stringify(rows)}::jsonb)`;
