// Tables of the clients of the built-in issuer, with the hashes of their secrets.
import { sql } from 'kysely';
import type { SchemeDocuments } from '../../core/scheme/documents.ts';
import { asIs, rowOf, utc, type SchemeKindTables } from './kind-table.ts';
import { saltedHashOf } from './secrets.ts';

export const clients: SchemeKindTables<SchemeDocuments['clients']> = {
  documents: sql`
      select jsonb_build_object('clientId', c.client_id, 'role', role, 'institutionId', institution_id,
        'clearingSystemId', clearing_system_id, 'demo', demo,
        'secrets', coalesce((select jsonb_agg(jsonb_build_object('secretId', secret_id,
          'hash', algorithm || ':' || encode(salt, 'hex') || ':' || encode(digest, 'hex')
            || coalesce(':' || encode(tag, 'hex'), ''), 'endsAt', ${utc(sql`ends_at`)})
          order by secret_id)
          from client_secrets s where s.client_id = c.client_id), '[]')) as document
      from clients c where ended_at is null`,
  tables: [
    {
      table: 'clients',
      key: ['client_id'],
      owner: { client_id: asIs },
      atEnd: 'mark',
      rows: (one) => [rowOf(one, 'clientId', 'role', 'institutionId', 'clearingSystemId', 'demo')],
    },
    {
      table: 'client_secrets',
      key: ['client_id', 'secret_id'],
      owner: { client_id: asIs },
      atEnd: 'remove',
      rows: (one) =>
        one.secrets.map(({ secretId, hash, endsAt }) => ({
          client_id: one.clientId,
          secret_id: secretId,
          ...saltedHashOf(hash),
          ends_at: endsAt,
        })),
    },
  ],
};
