// What a client has logged in by, as its token names it: by its id, and by what it is, because another one may be given
// the same id.
import { sql, type RawBuilder } from 'kysely';

/** @param row of `client_secrets` in the statement */
export const secretCredential = (row: string): RawBuilder<string> =>
  sql`'secret ' || ${sql.ref(`${row}.secret_id`)} || ' ' || left(encode(sha256(${sql.ref(`${row}.salt`)} || ${sql.ref(`${row}.digest`)}), 'hex'), 16)`;

/** @param row of `public_keys` in the statement */
export const keyCredential = (row: string): RawBuilder<string> =>
  sql`'key ' || ${sql.ref(`${row}.key_id`)} || ' ' || left(encode(sha256(convert_to(${sql.ref(`${row}.public_jwk`)}::text, 'UTF8')), 'hex'), 16)`;

/** Whether a key counts at this moment. */
export const keyCounts = (row: string): RawBuilder<boolean> =>
  sql`(${sql.ref(`${row}.valid_from`)} <= now() and (${sql.ref(`${row}.valid_until`)} is null or ${sql.ref(`${row}.valid_until`)} > now()))`;

/** Whether a secret counts at this moment. */
export const secretCounts = (row: string): RawBuilder<boolean> =>
  sql`(${sql.ref(`${row}.ends_at`)} is null or ${sql.ref(`${row}.ends_at`)} > now())`;
