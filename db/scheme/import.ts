// Makes the scheme in a database equal to that of a directory, without an api. For systems without operators,
// and for demos.
import { editsBetween, type CompareOptions } from '../../core/scheme/change.ts';
import type { Scheme } from '../../core/scheme/documents.ts';
import type { WebAddressPolicy } from '../../core/deliveries/web-address.ts';
import { connect, type Db } from '../pool/connection.ts';
import { proposeChange, type Proposal, type ProposalOutcome } from './changes.ts';

/** Client ids of the operators of the scheme. */
export const operatorsOf = ({ clients }: Scheme): readonly string[] =>
  [...clients.values()].filter(({ role }) => role === 'operator').map(({ clientId }) => clientId);

/**
 * Changes the scheme without approval, because the caller has access to the database and could change
 * everything anyway.
 */
export function changeDirectly(
  db: Db,
  { by, because, edits }: Pick<Proposal, 'by' | 'because' | 'edits'>,
  policy: WebAddressPolicy,
): Promise<ProposalOutcome> {
  return proposeChange(db, { by, because, effectiveAt: null, edits }, { ...policy, fourEyes: false });
}

export async function withDatabase<Outcome>(
  databaseUrl: string,
  act: (db: Db) => Promise<Outcome>,
): Promise<Outcome> {
  const db = connect(databaseUrl, { applicationName: 'isthmus-admin', maxConnections: 1 });
  try {
    return await act(db);
  } finally {
    await db.destroy();
  }
}

export interface DirectImport extends Pick<Proposal, 'by' | 'because'> {
  readonly scheme: Scheme;
  readonly options: CompareOptions;
}

export const importDirectly = (
  db: Db,
  { by, because, scheme, options }: DirectImport,
  policy: WebAddressPolicy,
) => changeDirectly(db, { by, because, edits: (current) => editsBetween(current, scheme, options) }, policy);
