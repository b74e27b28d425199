// Traces change nothing of what an execution does (OBS-3): they may be turned on and off under payments that run, and every
// history replays with them and without.
import { Worker } from '@temporalio/worker';
import { pino, type Logger } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { startApi } from '../../api/start.ts';
import { paymentWorkflowId } from '../../contract/ids.ts';
import { traceRuns } from '../../activities/trace-steps.ts';
import { openTraces } from '../../telemetry/open-traces.ts';
import type { Traces } from '../../telemetry/traces.ts';
import { testCollector } from '../harness/collector.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway, type TestGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { reportFinal, undecided } from '../harness/reports.ts';
import { testWorkflowBundle } from '../harness/temporal.ts';

const collector = await testCollector();
const settings = { url: `${collector.url}/v1/traces`, headers: {}, sampler: 'always_on', ratio: 1 };
const lines: string[] = [];
const logger: Logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
const [api, worker] = await Promise.all(
  ['isthmus-api', 'isthmus-worker'].map((service) => openTraces(settings, service, () => logger)),
);
const traces: { api?: Traces | undefined; worker?: Traces | undefined } = { api, worker };
const gateway = await testGateway({ logger, traces });
const evidence = evidenceOf(gateway);
afterAll(() => Promise.all([api?.close(), worker?.close()]));

const historyOf = (uetr: string) =>
  gateway.temporal.workflow.getHandle(paymentWorkflowId(uetr)).fetchHistory();
const isTraced = async (uetr: string) => {
  const { events } = await historyOf(uetr);
  return events?.[0]?.workflowExecutionStartedEventAttributes?.header?.fields?.['_tracer-data'] !== undefined;
};
/** From its start, by a worker that keeps nothing of it. */
const replay = async (uetr: string) =>
  Worker.runReplayHistory(
    { workflowBundle: await testWorkflowBundle(), sinks: traceRuns(undefined) },
    await historyOf(uetr),
    paymentWorkflowId(uetr),
  );

async function restartWorker(traced: boolean): Promise<void> {
  await gateway.stopWorker();
  traces.worker = traced ? worker : undefined;
  await gateway.startWorker();
}

/** An api without traces, beside the gateway's own, on the same database and engine. */
const untraced = await startApi(
  { ...gateway.config, port: 0 },
  { logger, taskQueuePrefix: gateway.taskQueuePrefix },
);
afterAll(() => untraced.close());
const withoutTraces = { ...gateway, url: untraced.url };

async function pay(through: TestGateway): Promise<string> {
  const message = instruction(await bestQuote(through));
  expect((await submit(through, message)).httpStatus).toBe(200);
  await evidence.closed(message.uetr);
  return message.uetr;
}

/** What the execution did; how many workflow tasks that took is up to the moment. */
async function stepsOf(uetr: string): Promise<readonly string[]> {
  const { events } = await historyOf(uetr);
  return (events ?? [])
    .map(({ eventType }) => String(eventType))
    .filter((type) => !taskEvents.includes(type))
    .toSorted();
}
const taskEvents = ['5', '6', '7']; // EVENT_TYPE_WORKFLOW_TASK_SCHEDULED, _STARTED, _COMPLETED

test('a payment with a trace has the events of one without, and both replay (OBS-3)', async () => {
  const traced = await pay(gateway);
  const plain = await pay(withoutTraces);
  expect([await isTraced(traced), await isTraced(plain)]).toEqual([true, false]);
  expect(await stepsOf(traced)).toEqual(await stepsOf(plain));
  await replay(traced);
  await replay(plain);
});

test.each([
  ['turned off', gateway, false],
  ['turned on', withoutTraces, true],
])(
  'traces may be %s while a payment waits: it goes on from its start, and ends',
  async (_, through, after) => {
    await restartWorker(!after);
    const { uetr } = await undecided(through);
    expect(await isTraced(uetr)).toBe(!after);
    await restartWorker(after);
    expect(await reportFinal(after ? gateway : withoutTraces, uetr)).toBe(200);
    await evidence.closed(uetr);
    expect(await evidence.decision(uetr)).toMatchObject({ status: 'ACCC' });
    await replay(uetr);
    expect(lines).toEqual([]); // nothing of the engine's, and nothing of ours
  },
);
