// Reads the scheme as documents, in one snapshot.
import { schemeIdOf, schemeKinds, type Scheme, type SchemeDocument } from '../../core/scheme/documents.ts';
import { canonical } from '../../core/scheme/canonical.ts';
import type { Db } from '../pool/connection.ts';
import { kindTables } from './kinds.ts';

/** Reads in the caller's transaction, or else in a new one. */
export async function readScheme(db: Db): Promise<Scheme> {
  if (!db.isTransaction) {
    return db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute((trx) => readScheme(trx));
  }
  const scheme: Record<string, ReadonlyMap<string, SchemeDocument>> = {};
  for (const kind of schemeKinds) {
    const { rows } = await kindTables[kind].documents.execute(db);
    const documents = rows.map(({ document }) => {
      const one = canonical(kind, document);
      return [schemeIdOf(kind, one), one] as const;
    });
    scheme[kind] = new Map(documents.sort(([one], [other]) => (one < other ? -1 : 1)));
  }
  return scheme as unknown as Scheme;
}
