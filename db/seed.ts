// Loads the demo's scheme from the directory db/seed, as `isthmus admin import` does. Idempotent: objects
// that were stored before stay as they are, even if they have ended since. Only the addresses of the
// counterparties are updated to those of the sandbox.
import { join } from 'node:path';
import { sql } from 'kysely';
import { assert } from '../core/assert.ts';
import { editsBetween, isSame, type SchemeEdit } from '../core/scheme/change.ts';
import type { Scheme, SchemeDocument, SchemeDocuments } from '../core/scheme/documents.ts';
import type { Proposal } from './scheme/changes.ts';
import { readDirectory } from './scheme/directory.ts';
import { changeDirectly, withDatabase } from './scheme/import.ts';

export interface SeedAddresses {
  /** Base address of an operator; `/iso20022/pacs008` and so on are appended when it is used. */
  readonly operatorEndpointUrl: (operatorId: string) => string;
  /** Base address of an FX provider; `/iso20022/fxtr017` is appended here. */
  readonly fxpBaseUrl: (fxpBic: string) => string;
}

const sandboxUrl = 'http://127.0.0.1:8090';

const defaultSeedAddresses: SeedAddresses = {
  operatorEndpointUrl: (operatorId) => `${sandboxUrl}/${operatorId}`,
  fxpBaseUrl: (fxpBic) => `${sandboxUrl}/${fxpBic}`,
};

/** Directory of the demo's files. The path is also right when this file is bundled into `dist/`. */
const directory = join(import.meta.dirname, '..', 'db', 'seed');

/** @throws SchemeFilesError if a file is invalid; the database's error if it cannot be stored */
export async function seed(
  databaseUrl: string,
  addresses: SeedAddresses = defaultSeedAddresses,
): Promise<void> {
  const files = withAddresses(readDirectory(directory), addresses);
  const edits: Proposal['edits'] = async (scheme, trx) => {
    const { rows } = await sql<{ object: string }>`
      select distinct kind || ' ' || object_id as object from scheme_change_edits`.execute(trx);
    const known = new Set(rows.map(({ object }) => object));
    const added = editsBetween(scheme, files, { onlyNew: true });
    return [...added.filter(({ kind, id }) => !known.has(`${kind} ${id}`)), ...moved(scheme, files)];
  };
  const asked = { by: 'isthmus-demo', because: "The demo's scheme.", edits };
  const outcome = await withDatabase(databaseUrl, (db) =>
    changeDirectly(db, asked, { allowLoopbackHttp: true }),
  );
  assert(outcome.kind !== 'refused', `the demo's scheme has no error: ${JSON.stringify(outcome)}`);
}

/** Returns the demo's scheme with the counterparties' addresses filled in. */
function withAddresses(scheme: Scheme, { operatorEndpointUrl, fxpBaseUrl }: SeedAddresses): Scheme {
  const mapped = <Document>(documents: ReadonlyMap<string, Document>, change: (one: Document) => Document) =>
    new Map([...documents].map(([id, one]) => [id, change(one)]));
  return {
    ...scheme,
    operators: mapped(scheme.operators, (one) => ({
      ...one,
      endpointUrl: operatorEndpointUrl(one.operatorId),
    })),
    'clearing-systems': mapped(scheme['clearing-systems'], (one) => ({
      ...one,
      bookEndpointUrl: `${operatorEndpointUrl(one.operatorId)}/iso20022/camt054`,
    })),
    institutions: mapped(scheme.institutions, (one) => {
      const [bic] = one.bics;
      if (!one.roles.includes('fxp') || bic === undefined) return one;
      const base = fxpBaseUrl(bic);
      return {
        ...one,
        notificationUrl: `${base}/iso20022/fxtr017`,
        bookEndpointUrl: `${base}/iso20022/camt054`,
      };
    }),
  };
}

/** Edits for those counterparties of the demo whose addresses have changed. Their other members stay. */
function moved(scheme: Scheme, files: Scheme): readonly SchemeEdit[] {
  const follow = <Kind extends 'operators' | 'clearing-systems' | 'institutions'>(
    kind: Kind,
    members: readonly (keyof SchemeDocuments[Kind])[],
  ): readonly SchemeEdit[] =>
    [...scheme[kind]].flatMap(([id, before]): SchemeEdit[] => {
      const file = files[kind].get(id);
      const isThere = (member: keyof SchemeDocuments[Kind]) => before[member] !== null;
      if (file === undefined) return [];
      const addresses = members.filter(isThere).map((member) => [member, file[member]]);
      const after = { ...before, ...Object.fromEntries(addresses) } as SchemeDocument;
      return isSame(before, after) ? [] : [{ kind, id, before, after }];
    });
  return [
    ...follow('operators', ['endpointUrl']),
    ...follow('clearing-systems', ['bookEndpointUrl']),
    ...follow('institutions', ['notificationUrl', 'bookEndpointUrl']),
  ];
}
