// The credential that a token names: the id of the secret or key, and a hash of it, because an id may be given again.
import { sql, type RawBuilder } from 'kysely';

/** @param row name or alias of `client_secrets` in the statement */
export const secretCredential = (row: string): RawBuilder<string> =>
  sql`'secret ' || ${sql.ref(`${row}.secret_id`)} || ' ' || left(encode(sha256(${sql.ref(`${row}.salt`)} || ${sql.ref(`${row}.digest`)}), 'hex'), 16)`;

/** @param row name or alias of `public_keys` in the statement */
export const keyCredential = (row: string): RawBuilder<string> =>
  sql`'key ' || ${sql.ref(`${row}.key_id`)} || ' ' || left(encode(sha256(convert_to(${sql.ref(`${row}.public_jwk`)}::text, 'UTF8')), 'hex'), 16)`;

/** Whether a key is valid now. */
export const keyCounts = (row: string): RawBuilder<boolean> =>
  sql`(${sql.ref(`${row}.valid_from`)} <= now() and (${sql.ref(`${row}.valid_until`)} is null or ${sql.ref(`${row}.valid_until`)} > now()))`;

/** Whether a secret is valid now. */
export const secretCounts = (row: string): RawBuilder<boolean> =>
  sql`(${sql.ref(`${row}.ends_at`)} is null or ${sql.ref(`${row}.ends_at`)} > now())`;
