// `isthmus admin first-operators`. It creates the first two operators of an empty system, and the first
// secret of each. It writes to the database directly, because no client can log in to the api yet.
import type { Environment } from '../../core/settings/environment-variables.ts';
import { isDatabaseUrl } from '../../core/settings/setting-forms.ts';
import type { SchemeEdit } from '../../core/scheme/change.ts';
import type { ClientDocument, Scheme } from '../../core/scheme/documents.ts';
import { parseDocument } from '../../db/scheme/parse.ts';
import { changeDirectly, operatorsOf, withDatabase } from '../../db/scheme/import.ts';
import { makeSecret } from '../../db/scheme/secrets.ts';
import type { CommandContext } from '../command.ts';
import { UsageError, UserError } from '../errors.ts';

/** @throws UserError if DATABASE_URL does not name a database */
export function databaseUrlOf(env: Environment): string {
  const url = env['DATABASE_URL'] ?? '';
  if (isDatabaseUrl(url)) return url;
  throw new UserError(
    'DATABASE_URL must name the database of the system, as that of the api does: postgres://user:password@host:port/database.',
  );
}

const enough = 2; // two operators are enough: one proposes a change, the other approves it

/**
 * Creates the first operators and their first secrets. It also creates the first secret of an operator that
 * was added later, because no other command can.
 */
export async function makeFirstOperators(
  { env, terminal }: CommandContext,
  clients: readonly string[],
): Promise<void> {
  if (new Set(clients).size < clients.length)
    throw new UsageError('Each person has a client id of their own.');
  const made = await Promise.all(
    clients.map(async (clientId) => {
      const { secret, hash } = await makeSecret();
      const secrets = [{ secretId: '1', hash, endsAt: null }];
      const parsed = parseDocument('clients', { clientId, role: 'operator', secrets });
      if (!parsed.ok)
        throw new UsageError(`${clientId}: ${parsed.refusal.map(({ says }) => says).join('; ')}`);
      return { clientId, secret, document: parsed.value };
    }),
  );
  await withDatabase(databaseUrlOf(env), async (db) => {
    const outcome = await changeDirectly(
      db,
      {
        by: 'isthmus admin',
        because: 'The first secret of an operator.',
        edits: (scheme) => {
          const edits = made.map(({ clientId, document }) => editOf(scheme, clientId, document));
          assertNotTooMany(scheme, edits);
          return edits;
        },
      },
      { allowLoopbackHttp: false },
    );
    if (outcome.kind === 'refused') throw new UserError(JSON.stringify(outcome.findings));
  });
  for (const { clientId, secret } of made)
    terminal.line(`✓ operator ${clientId}, secret shown this once: ${secret}`);
  terminal.line(
    'They log in as ISTHMUS_CLIENT_ID with ISTHMUS_CLIENT_SECRET, at the api of ISTHMUS_URL (AUTH=builtin). ' +
      'Whoever sees this could act as them: each makes another secret first, admin secret <client> --overlap-hours 0.',
  );
}

function editOf(scheme: Scheme, id: string, document: ClientDocument): SchemeEdit {
  const before = scheme.clients.get(id) ?? null;
  if (before === null) return { kind: 'clients', id, before, after: document };
  const { role, secrets } = before;
  if (role === 'operator' && secrets.length === 0)
    return { kind: 'clients', id, before, after: { ...before, secrets: document.secrets } };
  throw new UserError(
    role === 'operator'
      ? `${id} has a secret already, and makes the next one itself: admin secret ${id}. If it is lost, end the client, and enter it again.`
      : `${id} is a client already. Choose another id.`,
  );
}

function assertNotTooMany(scheme: Scheme, edits: readonly SchemeEdit[]): void {
  const standing = operatorsOf(scheme);
  const entered = edits.filter(({ before }) => before === null);
  if (entered.length === 0 || standing.length + entered.length <= enough) return;
  throw new UserError(
    `There may be ${enough} first operators, and there ${standing.length === 1 ? 'is' : 'are'} ${standing.length === 0 ? 'none' : standing.join(', ')}. ` +
      'More are entered by those, without secrets: admin set clients, which another of them approves. Then this command gives each its first secret.',
  );
}
