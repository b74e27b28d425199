// The drill `restore`: the database is restored from a backup and the archived WAL, to a point in time. A submission
// was stored before that point and accepted after it. This payment and all later ones are missing from then on. Temporal
// still names them, and the drill settles them as the operators must (docs/operations/postgres-and-temporal.md).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { QueryResult } from 'pg';
import { withClient } from '../../cli/parts/postgres.ts';
import { paymentWorkflowId, workflowTypes } from '../../contract/ids.ts';
import { readJournal } from '../../sandbox/journal-file.ts';
import { clientCredentials } from '../../sandbox/tokens.ts';
import { acknowledgedIn } from './judge.ts';
import { archiveWal, startCopy, takeBaseBackup, untilArchived, untilPrimary } from './postgres-copy.ts';
import { withTemporal, type Drill, type Stage } from './drill.ts';

const lostMs = 4_000; // payments go on for so long after the point, and are lost by the restore

export const restore: Drill = {
  tells: 'The database is restored to a point in time within a submission.',
  postgresSettings: { archive_mode: 'on', track_commit_timestamp: 'on' },
  prepare: async (stage) => {
    const { system, place, load, step, note, pay, begin } = stage;
    const archive = await archiveWal(system.servers.database());
    return async () => {
      await step('a base backup is taken', () => takeBaseBackup(system.servers.database(), place));
      await pay();
      const point = await pointWithin(stage);
      note(`the point in time is ${point}; what comes after it will be lost`);
      await delay(lostMs);
      begin();
      await step('the proxy in front takes no more requests', () => load.pause());
      await step('apis and workers stop', async () => {
        await Promise.all([...system.running].map((one) => system.stop(one)));
      });
      await step('the rest of the WAL is archived, and the server stops', async () => {
        await untilArchived(system.servers.database());
        await system.servers.stopDatabase();
      });
      const copy = await step('the backup is restored to the point in time', async () => {
        const server = await startCopy(place, 'recovery', {
          restore_command: `cp "${archive}/%f" "%p"`,
          recovery_target_time: point,
          recovery_target_action: 'promote',
        });
        await untilPrimary(server);
        return server;
      });
      system.useDatabase(copy.url);
      await step('submissions without an answer are removed', () => removeUnanswered(stage, copy.url));
      const missing = await step('Temporal names the payments that are missing', () => settle(stage));
      await step('one api starts, and the destinations report their finals again', () => reportAgain(stage));
      await step('the other api and the workers start', async () => {
        await system.startApi(1, stage.releases.before);
        await system.startWorker(stage.releases.before);
        await system.startWorker(stage.releases.before);
      });
      load.start();
      return missing;
    };
  },
  page: 'docs/operations/postgres-and-temporal.md#a-failover-that-lost-commits',
  commands: [
    'stop apis and workers; leave Temporal as it is; tell all source operators not to act on TM01 until you say so',
    'restore the base backup, with restore_command, recovery_target_time and recovery_target_action=promote',
    'psql "$DATABASE_URL" -qAt -v ON_ERROR_STOP=1 -f docker/after-restore.sql',
    'list the executions of payments, as step 4 there says',
    'terminate the execution of each payment that Temporal names and the database lacks; settle it with its two operators',
    'start one api, and withdraw again what was withdrawn since the loss',
    'let the destinations send their final pacs.002 again, but for payments of which a party was told RJCT since the loss',
    'start the workers, then the other apis',
  ],
};

/**
 * Takes a point in time within a submission: its pacs.008 was stored, and its payment not yet. Payments go on meanwhile.
 * @returns the time at which the last accepted submission was committed
 */
async function pointWithin({ system }: Stage): Promise<string> {
  const [row] = await system.query<{ at: string }>(
    `select pg_xact_commit_timestamp(m.xmin)::text as at
     from payments p join messages m on m.message_id = p.message_id
     where p.accepted order by p.judged_at desc limit 1`,
  );
  if (row === undefined) throw new Error('a payment was accepted before');
  return row.at;
}

/** Runs the file that an operator runs after a restore. */
async function removeUnanswered({ note }: Stage, databaseUrl: string): Promise<void> {
  const file = join(import.meta.dirname, '..', '..', 'docker', 'after-restore.sql');
  const results = await withClient(
    databaseUrl,
    async (client) => (await client.query(readFileSync(file, 'utf8'))) as unknown as readonly QueryResult[],
  );
  const removed = results.reduce((sum, { rows }) => sum + rows.length, 0);
  if (removed === 0) throw new Error('the point in time lies within no submission');
  note(`submissions removed: ${removed}`);
}

/**
 * Finds the payments that an execution names and the restored database lacks. Ends those of their executions that
 * still run, because they could only fail.
 */
async function settle({ system, load, note }: Stage): Promise<ReadonlySet<string>> {
  const rows = await system.query<{ uetr: string }>('select uetr from payments');
  const known = new Set(rows.map(({ uetr }) => paymentWorkflowId(uetr)));
  const prefix = paymentWorkflowId('');
  const missing = new Set<string>();
  let ended = 0;
  await withTemporal(system, async ({ workflow }) => {
    for await (const one of workflow.list({ query: `WorkflowType = "${workflowTypes.payment}"` })) {
      if (known.has(one.workflowId)) continue;
      missing.add(one.workflowId.slice(prefix.length));
      if (one.status.name !== 'RUNNING') continue;
      await workflow.getHandle(one.workflowId, one.runId).terminate('the database was restored without it');
      ended += 1;
    }
  });
  const acknowledged = [...acknowledgedIn(load.exchanges)].filter(
    (uetr) => !known.has(paymentWorkflowId(uetr)),
  );
  note(
    `${missing.size} payments are missing, ${acknowledged.length} of them acknowledged; ${ended} executions were ended`,
  );
  return missing;
}

/**
 * Sends the final pacs.002 of each undecided payment again, as its destination sent it first. A final counts from
 * the moment it is stored (PAY-7), so no deadline that passed meanwhile rejects a credited payment. Leaves out
 * payments that a party was told RJCT of, because their credit is reversed.
 */
async function reportAgain({ system, releases, note }: Stage): Promise<void> {
  await system.startApi(0, releases.before);
  const [apiUrl = ''] = system.apiUrls;
  const tokens = clientCredentials({ tokenUrl: `${apiUrl}/oauth/token` });
  const undecided = await system.query<{ uetr: string; destination: string }>(
    `select p.uetr, p.destination_clearing_system as destination from payments p
     where p.accepted and not exists (select from decisions d where d.uetr = p.uetr)`,
  );
  const reports = readJournal(system.journalFolder).filter(({ kind }) => kind === 'pacs002');
  const finals = new Map(
    reports.flatMap(({ uetr, direction, status, bytes }) =>
      direction === 'sent' && status === 'ACCC' && uetr !== undefined ? [[uetr, bytes] as const] : [],
    ),
  );
  for (const { uetr = '', direction, status } of reports)
    if (direction === 'received' && status === 'RJCT') finals.delete(uetr);
  const post = async ({ uetr, destination }: { uetr: string; destination: string }) => {
    const body = finals.get(uetr);
    if (body === undefined) return false;
    const token = await tokens.tokenFor(destination);
    const answer = await fetch(`${apiUrl}/iso20022/pacs002`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/xml' },
      body: Buffer.from(body),
    });
    await answer.body?.cancel();
    if (answer.status !== 200 && answer.status !== 503)
      throw new Error(`the final of ${uetr} was answered ${answer.status}`);
    return true; // without a worker the api stores it, and answers 503
  };
  const posted = await Promise.all(undecided.map(post));
  note(
    `${undecided.length} payments are undecided in the backup; ${posted.filter(Boolean).length} finals came`,
  );
}
