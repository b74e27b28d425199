// `isthmus audit verify`: checks the hourly seals of the audit record. It prints every hour with a fault, and
// says which facts the seals prove and which they cannot prove.
import { readFileSync } from 'node:fs';
import { parseAuditConfig } from '../../core/settings/config.ts';
import { withFiles } from '../../core/settings/settings.ts';
import { isDatabaseUrl } from '../../core/settings/setting-forms.ts';
import { connect, type Db } from '../../db/pool/connection.ts';
import { openVault } from '../../db/keys/vault.ts';
import {
  verifySeals,
  verifyUnsealed,
  type SealedHourVerified,
  type VerifyOptions,
} from '../../db/records/verify-seals.ts';
import type { CommandContext } from '../command.ts';
import { UsageError, UserError } from '../errors.ts';
import { findRunningDemo } from '../demo/run-file.ts';
import type { Terminal } from '../terminal.ts';

const sayEvery = 500; // hours between progress lines: about three weeks
const mostFaults = 1_000;

export interface AuditOptions {
  readonly head?: string;
  readonly key?: readonly string[];
}

/** @returns the exit code */
export async function verifyRecord(
  context: CommandContext,
  { head, key: keys }: AuditOptions,
): Promise<number> {
  const { terminal } = context;
  const expected = head?.toLowerCase();
  if (expected !== undefined && !/^[0-9a-f]{64}$/.test(expected))
    throw new UsageError('--head is a digest: 64 hexadecimal digits.');
  if (keys?.some((one) => !/^[A-Za-z0-9_-]{43}$/.test(one)) === true)
    throw new UsageError('--key is the id of a key or its public part: 43 letters, digits, - and _.');
  const { recordsYears, sealing } = parseAuditConfig(
    withFiles(context.env, (path) => readFileSync(path, 'utf8')),
  );
  const db = connect(await databaseUrl(context), {
    applicationName: 'isthmus-audit',
    maxConnections: 1,
    vault: openVault(sealing, { warn: () => undefined }),
  });
  try {
    const found = await walk(db, terminal, { recordsYears, keys, expected });
    return conclude(terminal, found, expected);
  } finally {
    await db.destroy();
  }
}

interface LateHours {
  readonly first: SealedHourVerified;
  last: SealedHourVerified;
}

interface Found {
  hours: number;
  rows: number;
  dropped: number;
  faults: number;
  newest: SealedHourVerified | undefined;
  /** End of the hour whose seal has the digest that --head names. */
  headUntil: string | undefined;
  /** Hours after `headUntil` that were sealed late, as ranges of consecutive hours. */
  late: LateHours[];
  /** Number of hours that each key signed, by key id. */
  readonly keys: Map<string, number>;
}

async function walk(
  db: Db,
  terminal: Terminal,
  { expected, ...options }: VerifyOptions & { readonly expected: string | undefined },
): Promise<Found> {
  const found: Found = {
    ...{ hours: 0, rows: 0, dropped: 0, faults: 0, late: [], keys: new Map<string, number>() },
    ...{ newest: undefined, headUntil: undefined },
  };
  const tell = (faults: readonly string[], where = '') => {
    for (const fault of faults.slice(0, Math.max(0, mostFaults - found.faults)))
      terminal.line(terminal.paint('warning', `! ${where}${fault}`));
    found.faults += faults.length;
  };
  for await (const hour of verifySeals(db, options)) {
    tell(hour.faults, `hour until ${hour.until}: `);
    found.hours += 1;
    found.rows += hour.rows;
    found.dropped += hour.dropped;
    if (hour.keyId !== null) found.keys.set(hour.keyId, (found.keys.get(hour.keyId) ?? 0) + 1);
    addLate(found, hour);
    if (hour.digest === expected) {
      found.headUntil = hour.until;
      found.late = []; // late seals up to this hour are harmless, because the digest in --head proves them
    }
    found.newest = hour;
    if (found.hours % sayEvery === 0) terminal.line(`… ${found.hours} hours, until ${hour.until}`);
  }
  tell(await verifyUnsealed(db, options));
  if (expected !== undefined && found.headUntil === undefined)
    tell([`no seal has the digest ${expected}: the seals were replaced`]);
  return found;
}

function addLate({ late, newest }: Found, hour: SealedHourVerified): void {
  if (!hour.isLate) return;
  const before = late.at(-1);
  if (before !== undefined && before.last === newest) before.last = hour;
  else late.push({ first: hour, last: hour });
}

function conclude(terminal: Terminal, found: Found, head: string | undefined): number {
  const { hours, rows, dropped, faults, newest, late, keys } = found;
  const warn = (line: string) => terminal.line(terminal.paint('warning', line));
  for (const { first, last } of late)
    warn(
      `! hours until ${first.until} to ${last.until} were sealed late, ${first.sealedAt} to ${last.sealedAt}: no worker ran then, ` +
        'or their seals were removed and made anew over another record. Logs of that time have the digests; see --head',
    );
  const gone = dropped === 0 ? '' : `, of which ${dropped} have been dropped as old`;
  if (faults > mostFaults) terminal.line(`and ${faults - mostFaults} more`);
  if (faults > 0) {
    const sealed = newest === undefined ? 'nothing' : `${rows} decisions and events of ${hours} hours${gone}`;
    // no number of rows here, because a fault can concern one seal or many rows
    terminal.line(`✗ Faults: ${faults}. Under seals: ${sealed}`);
  } else if (newest === undefined)
    terminal.line(
      'There is no seal yet: a worker makes the first five minutes after the end of the first hour in which anything happens.',
    );
  else
    terminal.line(
      `${late.length === 0 ? '✓' : '?'} ${rows} decisions and events of ${hours} hours are as their seals say${gone}`,
    );
  for (const [keyId, count] of keys) terminal.line(`Signed by key ${keyId}: ${count} hours`);
  if (head === undefined && newest !== undefined)
    warn(
      'These seals were compared with nothing outside of the database, whose owner can have the record sealed anew: give --head ' +
        '<digest>, of a line "record sealed" in the log of a worker, or as printed here another day.',
    );
  else if (found.headUntil !== undefined)
    terminal.line(`The seals until ${found.headUntil} are those of which the digest was kept.`);
  if (newest !== undefined) terminal.line(`Newest seal, until ${newest.until}: ${newest.digest}`);
  return faults + late.length === 0 ? 0 : 1;
}

async function databaseUrl({ env, folder }: CommandContext): Promise<string> {
  const given = env['DATABASE_URL'] ?? '';
  if (given === '') return (await findRunningDemo(folder)).databaseUrl;
  if (isDatabaseUrl(given)) return given;
  throw new UserError('DATABASE_URL must be postgres://user:password@host:port/database.');
}
