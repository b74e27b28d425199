// What operators see of a payment in the Temporal UI: status, reason, corridor, FX provider and named timers. It
// holds no personal data.
import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { startWorker } from '../../activities/start.ts';
import { paymentWorkflowId, searchAttributes, signals } from '../../contract/ids.ts';
import type { OriginalPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { setEndpoint } from '../harness/destination.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { testWorkflowBundle } from '../harness/temporal.ts';
import { endingIn, type Ending } from '../../fixtures/endings.ts';
import { instruction, newMessageId } from '../../fixtures/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { reportFinal } from '../harness/reports.ts';
import { lateServer } from './outages.ts';
import { acceptedAgo } from '../harness/rewritten.ts';
import { eventually } from '../harness/wait.ts';

const maxExecutionSeconds = 30; // HIGH deadlines (TIM-1)
const philippines = await lateServer();
const gateway = await testGateway({
  maxExecutionSeconds,
  sweepEveryMs: 500,
  prepare: (db) => setEndpoint(db, 'IPSO-PH', philippines.url),
});
const evidence = evidenceOf(gateway);
const handleOf = (uetr: string) => gateway.temporal.workflow.getHandle(paymentWorkflowId(uetr));

async function submitted(message: OriginalPacs008): Promise<OriginalPacs008> {
  expect((await submit(gateway, message)).report?.status).toBe('ACTC');
  return message;
}

async function pay(ending: Ending, priority: 'HIGH' | 'NORM' = 'NORM'): Promise<string> {
  return (await submitted(instruction(await bestQuote(gateway), { ending, priority }))).uetr;
}

const shown = async (uetr: string) => {
  const { typedSearchAttributes, status } = await handleOf(uetr).describe();
  return {
    status: typedSearchAttributes.get(searchAttributes.status),
    fxp: typedSearchAttributes.get(searchAttributes.fxp),
    runs: status.name === 'RUNNING',
  };
};

async function eventsOf<Event>(uetr: string): Promise<readonly Event[]> {
  const history = JSON.parse(historyToJSON(await handleOf(uetr).fetchHistory())) as { events: Event[] };
  return history.events;
}

interface Metadata {
  readonly currentDetails: string;
}
const details = async (uetr: string) =>
  (await handleOf(uetr).query<Metadata>('__temporal_workflow_metadata')).currentDetails;

test('the final status is shown from the decision on, though a receiver takes hours to be told', async () => {
  gateway.sandbox.source.refuse({ status: 503, pathPrefix: '/callbacks/SGDFAST', retryAfterSeconds: 3_600 });
  const uetr = await pay(endingIn.creditedAtOnce);
  await eventually(async () => expect((await shown(uetr)).status).toBe('ACCC'));
  expect(await shown(uetr)).toEqual({ status: 'ACCC', fxp: 'MERISGS0', runs: true });
  gateway.sandbox.source.refuse(null);
});

test('an accepted payment is shown with its route once its first send has ended without a final status', async () => {
  const uetr = await pay(endingIn.silent, 'HIGH');
  await eventually(async () => expect((await shown(uetr)).status).toBe('ACTC'));
  const { typedSearchAttributes } = await handleOf(uetr).describe();
  expect(typedSearchAttributes.get(searchAttributes.corridor)).toBe('SG-TH');
  expect(typedSearchAttributes.get(searchAttributes.destinationSystem)).toBe('THBPPAY');
  expect(typedSearchAttributes.get(searchAttributes.fxp)).toBe('MERISGS0');
});

test('a payment that its first send ends shows its priority from the start, and all else in one event at its end', async () => {
  const uetr = await pay(endingIn.creditedAtOnce);
  await evidence.closed(uetr);
  const events =
    await eventsOf<Record<string, { searchAttributes?: { indexedFields: object } } | undefined>>(uetr);
  const attributesIn = (event: string) =>
    events.flatMap(({ [event]: found }) =>
      found === undefined ? [] : [Object.keys(found.searchAttributes?.indexedFields ?? {}).sort()],
    );
  expect(attributesIn('workflowExecutionStartedEventAttributes')).toEqual([
    ['PaymentStatus', 'Priority', 'SourceSystem', 'Uetr'],
  ]);
  expect(attributesIn('upsertWorkflowSearchAttributesEventAttributes')).toEqual([
    ['Corridor', 'DestinationSystem', 'Fxp', 'PaymentStatus', 'Priority'],
  ]);
});

test('a repeat that is refused leaves no reason at the payment', async () => {
  const message = await submitted(instruction(await bestQuote(gateway), { ending: endingIn.silent }));
  const repeat = await submit(gateway, { ...message, messageIdentification: newMessageId('OTHER') });
  expect(repeat.report).toMatchObject({ status: 'RJCT', reasonCode: 'DUPL' });
  expect(await reportFinal(gateway, message.uetr)).toBe(200);
  await evidence.closed(message.uetr);
  const { typedSearchAttributes } = await handleOf(message.uetr).describe();
  expect(typedSearchAttributes.get(searchAttributes.status)).toBe('ACCC');
  expect(typedSearchAttributes.get(searchAttributes.reason)).toBeUndefined();
});

test('a payment whose destination has said nothing for 24 hours is INDOUBT, and an alert is raised once (LIF-4, TIM-2)', async () => {
  const uetr = await pay(endingIn.silent);
  await evidence.arrival(uetr, 'destination', 'pacs008');
  await acceptedAgo(gateway.db, uetr, 25 * 3_600_000);
  await handleOf(uetr).terminate('to be found by the sweep');
  await eventually(async () => expect((await shown(uetr)).status).toBe('INDOUBT'));
  expect(await details(uetr)).toMatch(/^In doubt/);
  const answer = await fetch(`${gateway.url}/payments/${uetr}`, {
    headers: { authorization: `Bearer ${await gateway.token('operator')}` },
  });
  expect(await answer.json()).toMatchObject({ status: 'INDOUBT', waitsFor: { what: 'person', at: null } });
  const alerts = await gateway.db
    .selectFrom('audit_events')
    .select('kind')
    .where('subject_id', '=', uetr)
    .where('severity', '=', 'alert')
    .execute();
  expect(alerts).toEqual([{ kind: 'payment.in-doubt' }]);
});

test('a run that only refused a repeat says so, and where the payment of that UETR is told (DUP-2)', async () => {
  const message = instruction(await bestQuote(gateway), { ending: endingIn.creditedAtOnce });
  await submit(gateway, message);
  await evidence.closed(message.uetr);
  await eventually(async () => expect((await shown(message.uetr)).runs).toBe(false));
  const repeat = await submit(gateway, {
    ...message,
    messageIdentification: `${message.messageIdentification.slice(0, 30)}-2`,
  });
  expect(repeat.report).toMatchObject({ status: 'RJCT', reasonCode: 'DUPL' });
  await eventually(async () => expect((await shown(message.uetr)).status).toBe('REFUSED'));
  expect(await details(message.uetr)).toMatch(
    /^REFUSED \(DUPL duplicate payment\): .*a repeat.*an earlier run.*GET \/payments/,
  );
});

test('a rejection has its status, corridor and reason in attributes that the list can show, the reason in words', async () => {
  const uetr = await pay(endingIn.rejected);
  await eventually(async () => expect((await shown(uetr)).status).toBe('RJCT'));
  const { typedSearchAttributes } = await handleOf(uetr).describe();
  expect(typedSearchAttributes.get(searchAttributes.reason)).toBe('AC04 account closed');
  expect(typedSearchAttributes.get(searchAttributes.corridor)).toMatch(/^SG/);
  expect(await details(uetr)).toMatch(/^RJCT \(AC04 account closed\)\. /);
  await eventually(async () => {
    const query = `Reason STARTS_WITH "AC04" AND Uetr = "${uetr}"`;
    expect((await gateway.temporal.workflow.count(query)).count).toBe(1);
  });
});

test('a worker does not start in a namespace without the attributes that its workflows set, and says which one is missing', async () => {
  const namespace = `bare-${randomUUID()}`;
  await gateway.temporal.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: msToTs('1 day'),
  });
  const config = { ...gateway.workerConfig, temporal: { address: gateway.temporalAddress, namespace } };
  const workflowBundle = await testWorkflowBundle();
  const start = { logger: pino({ level: 'silent' }), workflowBundle, taskQueuePrefix: `${namespace}-` };
  const { connection } = gateway.temporal;
  const bare = new Client({ connection, namespace });
  await eventually(() => bare.workflow.count('WorkflowType = "payment"')); // a new namespace is visible after some seconds
  await expect(startWorker(config, start)).rejects.toThrow(
    `the Temporal namespace ${namespace} has no search attribute Uetr. Create it`,
  );
});

interface TimerStarted {
  readonly userMetadata?: { readonly summary?: { readonly data: string } };
  readonly timerStartedEventAttributes?: { readonly startToFireTimeout: string };
}

test.each([
  ['HIGH', 'HIGH deadline (TIM-1)', maxExecutionSeconds],
  ['NORM', 'enquiry 1 of 26 (TIM-2)', 60],
] as const)('the timer of a %s payment ends in time, and has a name: %s', async (priority, name, seconds) => {
  const uetr = await pay(endingIn.silent, priority);
  await evidence.arrival(uetr, 'destination', 'pacs008');
  const timers = await eventually(async () => {
    const named = (await eventsOf<TimerStarted>(uetr)).filter(({ userMetadata }) => {
      const summary = Buffer.from(userMetadata?.summary?.data ?? '', 'base64').toString();
      return summary === JSON.stringify(name);
    });
    expect(named).not.toEqual([]);
    return named;
  });
  const clocksMs = 5_000; // the database clock is read up to 4 s before the workflow learns of it (localPolicy)
  for (const { timerStartedEventAttributes } of timers) {
    const ms = parseFloat(timerStartedEventAttributes?.startToFireTimeout ?? '') * 1_000;
    expect(ms).toBeLessThanOrEqual(seconds * 1_000 + clocksMs);
  }
});

test('an operator who has it look at the record rejects nothing by that, though its destination is down (TIM-3)', async () => {
  const quote = await bestQuote(gateway, { destination: 'PH', destinationCurrency: 'PHP' });
  const message = instruction(quote);
  const { uetr } = message;
  expect((await submit(gateway, message)).report?.status).toBe('ACTC');
  await eventually(async () => {
    expect((await evidence.attempts(uetr, 'instruction'))[0]).toMatchObject({ outcome: 'NOT_SENT' });
  });
  await handleOf(uetr).signal(signals.look);
  await eventually(async () => expect(await evidence.attempts(uetr, 'instruction')).toHaveLength(2));
  await philippines.open(gateway.sandbox.destinationUrl('IPSO-PH'));
  expect((await evidence.arrival(uetr, 'source', 'pacs002')).status).toBe('ACCC');
});
