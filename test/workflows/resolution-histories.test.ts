// Plays every path of a resolution to its end: its history holds nothing of a person (I-14), replays, and costs what it
// must. With RECORD_HISTORIES=<release> the histories are kept for test/workflows/replay.test.ts.
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { OriginalAcmt023 } from '../../fixtures/acmt023.ts';
import { resolutionWorkflowId } from '../../contract/ids.ts';
import { testGateway } from '../harness/gateway.ts';
import { accountRequest, ask, proxyRequest, resolutionEvidence } from '../harness/asker.ts';
import { keepHistory } from './recording.ts';

const logs: string[] = [];
const gateway = await testGateway({
  maxCachedWorkflows: 0, // each task is replayed from its history: what is not deterministic fails here
  logger: pino({ level: 'trace' }, { write: (line: string) => void logs.push(line) }),
  prepare: async (db) => {
    await db.updateTable('clearing_systems').set({ max_resolution_seconds: 3 }).execute();
  },
});
const evidence = resolutionEvidence(gateway);

/** What no one may find outside messages and the database: as asked, and as the sandbox's parties answer. */
const canaries = ['Canary', 'Somchai', 'JAIDEE', '66870000', '7787000001'];
const asker = { partyName: 'Canary Somchai' } as const;

/** Every string in a value, bytes decoded: payloads are JSON in bytes. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('utf8')];
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, one]) => [key, ...textsOf(one)])
    : [];
}

/** Waits for the end of an execution, looks through its history, replays it and keeps it when asked to. */
async function examine(name: string, { messageIdentification }: OriginalAcmt023): Promise<number> {
  const handle = gateway.temporal.workflow.getHandle(resolutionWorkflowId('SGDFAST', messageIdentification));
  await handle.result();
  const history = await handle.fetchHistory();
  const told = textsOf(history).join('\n');
  expect(told).toContain('SGDFAST'); // what is searched is really there
  for (const canary of canaries) expect(told).not.toContain(canary);
  await keepHistory(name, history);
  const events = history.events ?? [];
  for (const event of events) expect(JSON.stringify(event).length).toBeLessThan(6_000); // ids and codes only
  return events.length;
}

test('proxy, directory and creditor agent: at most 33 events', async () => {
  const request = proxyRequest('+66870000001', asker);
  const asked = await ask(gateway, request);
  expect(asked.answer).toMatchObject({ verified: true, found: { partyName: 'Somchai Jaidee' } });
  expect(await examine('resolution-proxy', request)).toBeLessThanOrEqual(33);
});

test('account: at most 26 events', async () => {
  const request = accountRequest('7787000001', asker);
  expect((await ask(gateway, request)).answer?.verified).toBe(true);
  expect(await examine('resolution-account', request)).toBeLessThanOrEqual(26);
});

test('not registered', async () => {
  const request = proxyRequest('+66870000404', asker);
  expect((await ask(gateway, request)).answer?.reasonCode).toBe('BE23');
  await examine('resolution-not-registered', request);
});

test('refused at once: at most 15 events', async () => {
  const request = accountRequest('7787000001', { ...asker, creditorAgent: { bicfi: 'FERNTHS0' } });
  expect((await ask(gateway, request)).answer?.reasonCode).toBe('AGNT');
  expect(await examine('resolution-refused', request)).toBeLessThanOrEqual(15);
});

test('a silent directory until the deadline', async () => {
  const request = proxyRequest('+66870000408', asker);
  expect((await ask(gateway, request)).answer?.reasonCode).toBe('AB08');
  await examine('resolution-deadline', request);
});

test('a repeat with other content, after the resolution has closed', async () => {
  const request = proxyRequest('+66870000011', asker);
  await ask(gateway, request);
  await evidence.closed(request.messageIdentification);
  expect((await ask(gateway, { ...request, verificationId: 'V-2' })).answer?.reasonCode).toBe('DUPL');
  await examine('resolution-refused-repeat', request);
});

test('logs and the audit trail hold nothing of a person (I-14)', async () => {
  const audit = await gateway.db.selectFrom('audit_events').selectAll().execute();
  const attempts = await gateway.db.selectFrom('delivery_attempts').selectAll().execute();
  expect(audit.length).toBeGreaterThan(0);
  expect(attempts.length).toBeGreaterThan(10);
  const told = [JSON.stringify(audit), JSON.stringify(attempts), ...logs].join('\n');
  for (const canary of canaries) expect(told).not.toContain(canary);
});
