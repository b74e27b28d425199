// Describes how a kind of document is stored: the statement that reads the documents, the rows of a document, and what
// happens to the rows when the object ends. kinds.ts lists the kinds.
import { sql, type RawBuilder } from 'kysely';
import type { PublicKeyDocument } from '../../core/scheme/documents.ts';

/** Column values as JSON. Postgres converts them to the types of the columns; decimals are text. */
export type SchemeRow = Readonly<Record<string, unknown>>;

export interface KindTable<Document> {
  readonly table: string;
  readonly key: readonly string[];
  /** The columns that identify the object, each with a function from the id of the object to its value. */
  readonly owner: Readonly<Record<string, (id: string) => string>>;
  readonly rows: (document: Document) => readonly SchemeRow[];
  /**
   * How the rows change when the object ends. `mark`: set ended_at. `keep`: leave them, because others still refer to
   * them. `remove`: delete them, because only new business reads them.
   */
  readonly atEnd: 'mark' | 'keep' | 'remove';
}

export interface SchemeKindTables<Document> {
  readonly documents: RawBuilder<{ document: Document }>;
  readonly tables: readonly KindTable<Document>[];
}

/**
 * Makes a row from members of a document. Each column has the name of its member in snake case:
 * `country_code` for `countryCode`.
 */
export const rowOf = <Document extends object>(
  document: Document,
  ...members: readonly (keyof Document & string)[]
): SchemeRow =>
  Object.fromEntries(
    members.map((name) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), document[name]]),
  );

export const asIs = (id: string): string => id;
export const [first, second] = [
  (id: string) => id.split(':')[0] ?? '',
  (id: string) => id.replace(/^[^:]*:/, ''),
];

export const keyDocuments = (owner: RawBuilder<unknown>) => sql`coalesce((
  select jsonb_agg(jsonb_build_object('keyId', key_id, 'jwk', public_jwk, 'validFrom', ${utc(sql`valid_from`)},
    'validUntil', ${utc(sql`valid_until`)}) order by key_id)
  from public_keys where ${owner}), '[]')`;
export const utc = (time: RawBuilder<unknown>) =>
  sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
export const bookUrl = (partyId: RawBuilder<unknown>) =>
  sql`(select url from book_endpoints where party_id = ${partyId})`;

export function keyRows(
  column: 'operator_id' | 'institution_id',
  id: string,
  keys: readonly PublicKeyDocument[],
) {
  return keys.map(({ keyId, jwk, validFrom, validUntil }) => ({
    key_id: keyId,
    operator_id: null,
    institution_id: null,
    [column]: id,
    public_jwk: jwk,
    valid_from: validFrom,
    valid_until: validUntil,
  }));
}

export const bookRows = (partyId: string, url: string | null): readonly SchemeRow[] =>
  url === null ? [] : [{ party_id: partyId, url }];
