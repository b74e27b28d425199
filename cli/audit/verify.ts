// `isthmus audit verify`: prints what the seals of the record say (SEC-6), hour by hour where something is wrong.
import { isDatabaseUrl } from '../../core/setting-forms.ts';
import { connect } from '../../db/connection.ts';
import { verifySeals } from '../../db/verify-seals.ts';
import type { CommandContext } from '../command.ts';
import { UsageError, UserError } from '../errors.ts';
import { findRunningDemo } from '../run-file.ts';

const sayEvery = 500; // hours: three weeks
const mostFaults = 1_000;

/** @returns the exit code */
export async function verifyRecord(
  context: CommandContext,
  { head }: { readonly head?: string },
): Promise<number> {
  const { terminal } = context;
  const expected = head?.toLowerCase();
  if (expected !== undefined && !/^[0-9a-f]{64}$/.test(expected))
    throw new UsageError('--head is a digest: 64 hexadecimal digits.');
  const db = connect(await databaseUrl(context), { applicationName: 'isthmus-audit', maxConnections: 1 });
  const count = { hours: 0, rows: 0, dropped: 0, faults: 0 };
  let last: { readonly until: string; readonly digest: string } | undefined;
  let isHeadFound = expected === undefined;
  try {
    for await (const { faults, ...hour } of verifySeals(db)) {
      for (const fault of faults.slice(0, Math.max(0, mostFaults - count.faults)))
        terminal.line(terminal.paint('warning', `! hour until ${hour.until}: ${fault}`));
      count.hours += 1;
      count.rows += hour.rows;
      count.dropped += hour.dropped;
      count.faults += faults.length;
      isHeadFound ||= hour.digest === expected;
      last = hour;
      if (count.hours % sayEvery === 0) terminal.line(`… ${count.hours} hours, until ${hour.until}`);
    }
  } finally {
    await db.destroy();
  }
  if (last === undefined)
    throw new UserError(
      'There is no seal yet: a worker makes the first five minutes after the end of the first hour.',
    );
  if (!isHeadFound) {
    terminal.line(
      terminal.paint('warning', `! no seal has the digest ${String(expected)}: the seals were replaced`),
    );
    count.faults += 1;
  }
  const { hours, rows, dropped, faults } = count;
  const gone = dropped === 0 ? '' : `, of which ${dropped} have been dropped as old`;
  if (faults > mostFaults) terminal.line(`and ${faults - mostFaults} more`);
  terminal.line(
    faults === 0
      ? `✓ ${rows} decisions and events of ${hours} hours are as they were${gone}`
      : `✗ ${faults} of ${rows} decisions, events and seals of ${hours} hours are not as they were${gone}`,
  );
  terminal.line(`Newest seal, until ${last.until}: ${last.digest}`);
  return faults === 0 ? 0 : 1;
}

async function databaseUrl({ env, folder }: CommandContext): Promise<string> {
  const given = env['DATABASE_URL'] ?? '';
  if (given === '') return (await findRunningDemo(folder)).databaseUrl;
  if (isDatabaseUrl(given)) return given;
  throw new UserError('DATABASE_URL must be postgres://user:password@host:port/database.');
}
