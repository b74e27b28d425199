// Faults of the workflow engine, Temporal: killed, frozen or unreachable. Some faults do to executions what a
// person can do in the UI with one click.
import { Client, Connection } from '@temporalio/client';
import { breakConnections, eachAndAll, heal, onTheWay, type Fault, type Stage } from './fault.ts';

const whole = () => ['engine'];

async function killServer({ system, wait, durationMs }: Stage): Promise<void> {
  await system.servers.stopEngine();
  await wait(durationMs);
  await heal(() => system.servers.startEngine());
}

async function standServer({ system, wait, durationMs }: Stage): Promise<void> {
  const { pid } = system.servers.engine();
  if (pid === undefined) throw new Error('the engine is not ours');
  process.kill(pid, 'SIGSTOP');
  await wait(durationMs);
  process.kill(pid, 'SIGCONT');
}

type Act = (
  client: Client,
  execution: { readonly workflowId: string; readonly runId: string },
) => Promise<unknown>;

const acts: Record<'cancel' | 'terminate' | 'delete', Act> = {
  cancel: (client, { workflowId, runId }) => client.workflow.getHandle(workflowId, runId).cancel(),
  terminate: (client, { workflowId, runId }) =>
    client.workflow.getHandle(workflowId, runId).terminate('somebody clicked the wrong button'),
  delete: (client, { workflowId, runId }) =>
    client.workflowService.deleteWorkflowExecution({
      namespace: client.options.namespace,
      workflowExecution: { workflowId, runId },
    }),
};

const roundMs = 30_000; // another fault may freeze Temporal for this long
const mostAtOnce = 50;

/** Repeats an action on some of the running executions. */
const doTo = (act: Act) => async (stage: Stage) => {
  const { system, random, isOver } = stage;
  async function once(client: Client): Promise<void> {
    const running = client.workflow.list({ query: 'ExecutionStatus = "Running"', pageSize: mostAtOnce });
    let looked = 0;
    for await (const { workflowId, runId } of running) {
      looked += 1;
      if (looked > mostAtOnce || isOver()) return;
      if (!random.chance(30)) continue;
      await act(client, { workflowId, runId }).catch(() => undefined); // the execution may have ended meanwhile
    }
  }
  const connection = await Connection.connect({
    address: system.servers.engine().address,
    connectTimeout: '10 s',
  });
  const client = new Client({ connection, namespace: system.namespace });
  try {
    while (!isOver()) {
      // Another fault may have stopped Temporal.
      await connection.withDeadline(Date.now() + roundMs, () => once(client)).catch(() => undefined);
      await stage.wait(random.integer(500, 2_000));
    }
  } finally {
    await connection.close();
  }
};
const onServer = { groups: ['engine'], targets: whole } as const;
const onWays = { groups: ['engine'], targets: eachAndAll } as const;
const onExecutions = { groups: ['executions'], targets: whole } as const;

export const engineFaults: readonly Fault[] = [
  {
    name: 'engine-killed',
    tells: 'Temporal is killed (kill -9) and started again on its file.',
    seconds: [1, 12],
    ...onServer,
    play: killServer,
  },
  {
    name: 'engine-stands-still',
    tells: 'Temporal stands still (SIGSTOP), also over deadlines, and goes on later.',
    seconds: [3, 30],
    ...onServer,
    play: standServer,
  },
  {
    name: 'engine-vanishes',
    tells: 'Temporal’s host vanishes without a word for one process or all.',
    seconds: [3, 25],
    ...onWays,
    play: onTheWay('engine', 'silent'),
  },
  {
    name: 'engine-refuses',
    tells: 'Temporal refuses connections of one process or all.',
    seconds: [3, 25],
    ...onWays,
    play: onTheWay('engine', 'refuse'),
  },
  {
    name: 'engine-answers-lost',
    tells: 'What is asked of Temporal is done, but no answer comes back.',
    seconds: [2, 12],
    ...onWays,
    play: onTheWay('engine', 'keep-answer'),
  },
  {
    name: 'engine-connections-reset',
    tells: 'Connections to Temporal are reset again and again.',
    seconds: [2, 15],
    ...onWays,
    play: breakConnections('engine'),
  },
  {
    name: 'executions-cancelled',
    tells: 'Somebody cancels running executions in the UI.',
    seconds: [3, 15],
    ...onExecutions,
    play: doTo(acts.cancel),
  },
  {
    name: 'executions-terminated',
    tells: 'Somebody terminates running executions in the UI.',
    seconds: [3, 15],
    ...onExecutions,
    play: doTo(acts.terminate),
  },
  {
    name: 'executions-deleted',
    tells: 'Running executions are deleted, with their histories.',
    seconds: [3, 15],
    ...onExecutions,
    play: doTo(acts.delete),
  },
];
