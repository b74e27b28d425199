// The drill `restore`: the database is restored from a backup and the archived WAL, to a point in time between two
// payments. Payments after that point are missing from then on. Temporal still names them, and the drill settles
// them as the operators must (docs/operations/postgres-and-temporal.md).
import { setTimeout as delay } from 'node:timers/promises';
import { paymentWorkflowId, workflowTypes } from '../../contract/ids.ts';
import { readJournal } from '../../sandbox/journal-file.ts';
import { clientCredentials } from '../../sandbox/tokens.ts';
import { acknowledgedIn } from './judge.ts';
import { archiveWal, startCopy, takeBaseBackup, untilArchived, untilPrimary } from './postgres-copy.ts';
import { withTemporal, type Drill, type Stage } from './drill.ts';

const lostMs = 4_000; // payments go on for so long after the point, and are lost by the restore

export const restore: Drill = {
  tells: 'The database is restored to a point in time between two payments.',
  postgresSettings: { archive_mode: 'on' },
  prepare: async (stage) => {
    const { system, place, load, step, note, pay, begin } = stage;
    const archive = await archiveWal(system.servers.database());
    return async () => {
      await step('a base backup is taken', () => takeBaseBackup(system.servers.database(), place));
      await pay();
      const point = await pointBetween(stage);
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
    'stop apis and workers; leave Temporal as it is',
    'restore the base backup, with restore_command, recovery_target_time and recovery_target_action=promote',
    `temporal workflow list --query 'WorkflowType = "payment" AND StartTime > "<point>"' --output json`,
    'settle each payment that Temporal names and the database lacks with its two operators; terminate its execution',
    'start one api, and let the destinations send their final pacs.002 again',
    'start the workers, then the other apis',
  ],
};

/**
 * Takes the point in time while no submission is under way. Payments that were accepted before are still undecided.
 * @returns the time of the database
 */
async function pointBetween({ system, load }: Stage): Promise<string> {
  await load.pause();
  const [row] = await system.query<{ now: string }>('select clock_timestamp()::text as now');
  load.start();
  if (row === undefined) throw new Error('the clock answers');
  return row.now;
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
 * the moment it is stored (PAY-7), so no deadline that passed meanwhile rejects a credited payment.
 */
async function reportAgain({ system, releases, note }: Stage): Promise<void> {
  await system.startApi(0, releases.before);
  const [apiUrl = ''] = system.apiUrls;
  const tokens = clientCredentials({ tokenUrl: `${apiUrl}/oauth/token` });
  const undecided = await system.query<{ uetr: string; destination: string }>(
    `select p.uetr, p.destination_clearing_system as destination from payments p
     where p.accepted and not exists (select from decisions d where d.uetr = p.uetr)`,
  );
  const finals = new Map(
    readJournal(system.journalFolder).flatMap(({ uetr, direction, kind, status, bytes }) =>
      direction === 'sent' && kind === 'pacs002' && status === 'ACCC' && uetr !== undefined
        ? [[uetr, bytes] as const]
        : [],
    ),
  );
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
