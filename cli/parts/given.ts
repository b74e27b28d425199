// Checks existing servers that a person named, before anything is started, so that a wrong address is reported at once.
// It must not change anything on them.
import { connect } from 'node:net';
import pg from 'pg';
import { isDatabaseUrl } from '../../core/settings/setting-forms.ts';
import { codeOf, reasonOf, UserError } from '../errors.ts';

const answerMs = 15_000; // a server that is slower than this is unusable
const leastPostgres = 16;
const temporalPort = 7233;

/** @throws UserError that names the host but never the password */
export async function checkDatabase(url: string): Promise<void> {
  if (!isDatabaseUrl(url) || !URL.canParse(url)) {
    throw new UserError(
      'DATABASE_URL must have the form postgres://user:password@host:port/database, with special characters percent-encoded. Correct it, or unset it to use the embedded Postgres.',
    );
  }
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: answerMs });
  client.on('error', () => undefined); // the query in flight reports it
  try {
    await client.connect();
    const { rows } = await client.query<{ version: string }>('show server_version_num');
    const major = Math.floor(Number(rows[0]?.version) / 10_000);
    if (major < leastPostgres) {
      throw new UserError(
        `DATABASE_URL points to Postgres ${major}; Isthmus needs ${leastPostgres} or newer. Correct DATABASE_URL, or unset it to use the embedded Postgres.`,
      );
    }
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(
      `DATABASE_URL points to a database that cannot be used: ${databaseReason(error, client)}. Correct DATABASE_URL, or unset it to use the embedded Postgres.`,
      { cause: error },
    );
  } finally {
    client.end().catch(() => undefined); // it may never have connected
  }
}

function databaseReason(error: unknown, { host, port, user, database }: pg.Client): string {
  const place = `${host}:${port}`;
  switch (codeOf(error)) {
    case 'ECONNREFUSED':
      return `nothing is listening at ${place}`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the host ${host} is not known`;
    case '28P01':
    case '28000':
      return `the server at ${place} refuses user ${user ?? ''}: wrong password, or no permission (${reasonOf(error)})`;
    case '3D000': // invalid_catalog_name
      return `the server at ${place} has no database ${database ?? ''}`;
    case undefined:
    default:
      return /timeout|terminated|Connection ended|unexpected/i.test(reasonOf(error))
        ? `${place} is not a Postgres server, or did not answer within ${answerMs / 1_000} s`
        : `${place}: ${reasonOf(error)}`;
  }
}

/**
 * Checks that a server listens at `host:port`, because the SDK itself would retry endlessly.
 * @throws UserError if none does, or the address is malformed
 */
export async function checkTemporalAddress(address: string): Promise<void> {
  const [, host = '', port] = /^(\[[0-9a-f:.]+\]|[^\s:/[\]]+)(?::(\d{1,5}))?$/i.exec(address) ?? [];
  if (host === '' || Number(port ?? 0) > 65_535) {
    throw new UserError(
      `TEMPORAL_ADDRESS=${address} must be host:port, as in 127.0.0.1:${temporalPort}. ${instead}`,
    );
  }
  const reason = await new Promise<string | undefined>((resolve) => {
    const socket = connect({ host: host.replace(/^\[|\]$/g, ''), port: Number(port ?? temporalPort) });
    const settle = (why?: string) => {
      socket.destroy();
      resolve(why);
    };
    socket.setTimeout(answerMs, () => settle(`no answer within ${answerMs / 1_000} s`));
    socket.once('connect', () => settle());
    socket.once('error', (error) => settle(reasonOf(error)));
  });
  if (reason !== undefined) throw noTemporal(address, reason);
}

const instead = 'Correct it, or unset it to have a Temporal server started for you.';

export function noTemporal(address: string, reason: string): UserError {
  return new UserError(
    `TEMPORAL_ADDRESS names ${address}, where no Temporal server answers (${reason}). ${instead}`,
  );
}
