// A question that was routed, and whose last answer meets a defect of ours (SEC-9, RES-1): a person is told, and it is
// not tried for ever.
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { resolutionWorkflowId } from '../../contract/ids.ts';
import { ask, proxyRequest } from '../harness/asker.ts';
import { listening } from '../harness/listening.ts';
import { testGateway } from '../harness/gateway.ts';
import { poisonedEngine, poisonedMessageId } from '../harness/poison.ts';

let isMended = true;
const silent = await listening((request) => void request.resume());
const gateway = await testGateway({
  sweepEveryMs: 500,
  standstillMs: 500,
  workerEngine: poisonedEngine(() => isMended),
  prepare: async (db) => {
    await sql`update clearing_systems set max_resolution_seconds = 3`.execute(db);
    await sql`update operators set endpoint_url = ${silent} where operator_id like 'PDO-%'`.execute(db);
  },
});
const { db, temporal } = gateway;

test('a question whose answer nobody can make is told to a person, and its execution is not started for ever', async () => {
  const request = proxyRequest('+66800000001', { messageIdentification: poisonedMessageId() });
  const asked = ask(gateway, request);
  await vi.waitFor(async () => {
    const { rows } = await sql`select from resolutions
      where message_identification = ${request.messageIdentification}`.execute(db);
    expect(rows).toHaveLength(1);
  }, 5_000);
  isMended = false;
  await asked;
  const { rows } = await sql<{
    id: string;
    party: string;
  }>`select resolution_id as id, source_clearing_system as party
    from resolutions where message_identification = ${request.messageIdentification}`.execute(db);
  const { id = '', party = '' } = rows[0] ?? {};
  const workflowId = resolutionWorkflowId(party, request.messageIdentification);
  const runs = new Set<string>();
  const look = async () => {
    runs.add((await temporal.workflow.getHandle(workflowId).describe()).runId);
  };
  await vi
    .waitFor(
      async () => {
        await look();
        expect(runs.size).toBeGreaterThan(2);
      },
      { timeout: 8_000, interval: 100 },
    )
    .catch(() => undefined);
  // so old that no sweep would find it: only what is remembered brings it
  await sql`update resolutions set deadline_at = deadline_at - interval '2 days' where resolution_id = ${id}`.execute(
    db,
  );
  const before = runs.size;
  const until = Date.now() + 6_000;
  await vi.waitFor(
    async () => {
      await look();
      expect(Date.now()).toBeGreaterThan(until);
    },
    { timeout: 30_000, interval: 100 },
  );
  const alerts = await sql<{ kind: string }>`select kind from audit_events where severity = 'alert'`.execute(
    db,
  );
  expect({ alerts: alerts.rows.length > 0, startedAgainLater: runs.size - before }).toEqual({
    alerts: true,
    startedAgainLater: 0,
  });
}, 120_000);
