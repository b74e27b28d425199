// The drills `upgrade` and `rollback`: new workers start beside the old ones, Temporal moves the work to their version,
// the old ones stop, and the apis are replaced one by one. A rollback replaces the apis first.
import { until } from '../system/processes.ts';
import { withTemporal, type Drill, type Stage } from './drill.ts';
import { deploymentName, type DrillSystem, type Release } from './system.ts';

const knownMs = 60_000; // Temporal knows a version after the first poll of its worker
const inProgress = 1; // ROUTING_CONFIG_UPDATE_STATE_IN_PROGRESS

/** Makes a version of the workers the current one, and waits until every task queue has heard of it. */
async function makeCurrent(system: DrillSystem, { buildId = '' }: Release): Promise<void> {
  await withTemporal(system, async ({ workflowService, options: { namespace } }) => {
    const isSet = () =>
      workflowService
        .setWorkerDeploymentCurrentVersion({
          namespace,
          deploymentName,
          buildId,
          ignoreMissingTaskQueues: true, // the queue `amqp` has no worker here
        })
        .then(
          () => true,
          () => false,
        );
    await until(`version ${buildId} is current`, isSet, knownMs);
    const isKnownEverywhere = async () => {
      const asked = { namespace, deploymentName };
      const { workerDeploymentInfo: info } = await workflowService.describeWorkerDeployment(asked);
      return (info?.routingConfigUpdateState as number | null | undefined) !== inProgress;
    };
    await until(`every task queue knows version ${buildId}`, isKnownEverywhere, knownMs);
  });
}

const ofKind = ({ running }: DrillSystem, kind: 'api' | 'worker') =>
  [...running].filter((one) => one.kind === kind);

async function replaceWorkers({ system, releases, step }: Stage): Promise<void> {
  const old = ofKind(system, 'worker');
  const { after } = releases;
  await step('two workers of the other release start beside the old ones', async () => {
    await Promise.all(old.map(() => system.startWorker(after)));
  });
  await step(`version ${after.buildId ?? ''} is made current`, () => makeCurrent(system, after));
  await step('the old workers finish their work and end', async () => {
    await Promise.all(old.map((one) => system.stop(one)));
  });
}

async function replaceApis({ system, releases, step }: Stage): Promise<void> {
  for (const [nth, one] of ofKind(system, 'api').entries()) {
    await step(`api ${nth + 1} ends, and one of the other release takes its place`, async () => {
      await system.stop(one);
      await system.startApi(nth, releases.after);
    });
  }
}

const setCurrent =
  'temporal worker deployment set-current-version --deployment-name <name> --build-id <version> --ignore-missing-task-queues --yes';

export const upgrade: Drill = {
  tells: 'A new release replaces the old one, process by process.',
  isVersioned: true,
  prepare: async (stage) => {
    const { system, releases, step } = stage;
    await makeCurrent(system, releases.before);
    return async () => {
      await step('the new release migrates the schema', () => system.migrate(releases.after));
      await replaceWorkers(stage);
      await replaceApis(stage);
      return undefined;
    };
  },
  page: 'docs/operations/deploy-and-upgrade.md#upgrade',
  commands: [
    'docker/temporal-namespace.sh    # of the new release',
    'node --enable-source-maps dist/migrate.js    # of the new release',
    'start the new workers with their own TEMPORAL_WORKER_BUILD_ID, beside the old ones',
    setCurrent,
    'stop the old workers with SIGTERM, then replace the apis one by one',
  ],
};

export const rollback: Drill = {
  tells: 'The old release comes back, process by process, on the newer schema.',
  isVersioned: true,
  prepare: async (stage) => {
    await makeCurrent(stage.system, stage.releases.before);
    return async () => {
      await replaceApis(stage);
      await replaceWorkers(stage);
      return undefined;
    };
  },
  page: 'docs/operations/deploy-and-upgrade.md#go-back',
  commands: [
    'replace the apis one by one by those of the old release',
    'start the old workers with their own TEMPORAL_WORKER_BUILD_ID, beside the new ones',
    setCurrent,
    'stop the new workers with SIGTERM',
  ],
};
