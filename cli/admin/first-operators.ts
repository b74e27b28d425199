// `isthmus admin first-operators`: the two people whom everything else takes, in a system that has none (ADM-1). It
// writes into the database, because there is nobody yet whom an api would let in.
import type { Environment } from '../../core/environment-variables.ts';
import { isDatabaseUrl } from '../../core/setting-forms.ts';
import type { SchemeEdit } from '../../core/scheme/change.ts';
import { parseDocument } from '../../db/scheme/parse.ts';
import { changeDirectly, operatorsOf, withDatabase } from '../../db/scheme/import.ts';
import { readScheme } from '../../db/scheme/read.ts';
import { makeSecret } from '../../db/scheme/secrets.ts';
import type { CommandContext } from '../command.ts';
import { UsageError, UserError } from '../errors.ts';

/** @throws UserError where it names no database */
export function databaseUrlOf(env: Environment): string {
  const url = env['DATABASE_URL'] ?? '';
  if (isDatabaseUrl(url)) return url;
  throw new UserError(
    'DATABASE_URL must name the database of the system, as that of the api does: postgres://user:password@host:port/database.',
  );
}

const enough = 2; // one proposes, another approves (ADM-2)

export async function makeFirstOperators(
  { env, terminal }: CommandContext,
  clients: readonly string[],
): Promise<void> {
  const made = await Promise.all(
    clients.map(async (clientId) => {
      const { secret, hash } = await makeSecret();
      const parsed = parseDocument('clients', {
        clientId,
        role: 'operator',
        secrets: [{ secretId: '1', hash }],
      });
      if (!parsed.ok)
        throw new UsageError(`${clientId}: ${parsed.refusal.map(({ says }) => says).join('; ')}`);
      return { clientId, secret, document: parsed.value };
    }),
  );
  if (new Set(clients).size < clients.length)
    throw new UsageError('Each person has a client id of their own.');
  await withDatabase(databaseUrlOf(env), async (db) => {
    const standing = operatorsOf(await readScheme(db));
    if (standing.length + made.length > enough || standing.length >= enough) {
      throw new UserError(
        `There may be ${enough} first operators, and there ${standing.length === 1 ? 'is' : 'are'} ${standing.length === 0 ? 'none' : standing.join(', ')}. ` +
          'More are entered by those: admin set clients, which another of them approves.',
      );
    }
    const outcome = await changeDirectly(
      db,
      {
        by: 'isthmus admin',
        because: 'The first operators.',
        edits: (scheme) =>
          made.map(({ clientId: id, document: after }): SchemeEdit => {
            if (scheme.clients.has(id)) throw new UserError(`${id} is a client already. Choose another id.`);
            return { kind: 'clients', id, before: null, after };
          }),
      },
      { allowLoopbackHttp: false },
    );
    if (outcome.kind === 'refused') throw new UserError(JSON.stringify(outcome.findings));
  });
  for (const { clientId, secret } of made)
    terminal.line(`✓ operator ${clientId}, secret shown this once: ${secret}`);
  terminal.line(
    'They log in as ISTHMUS_CLIENT_ID with ISTHMUS_CLIENT_SECRET, at the api of ISTHMUS_URL (AUTH=builtin).',
  );
}
