// A worker with a version, as Temporal's Worker Controller starts it.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { paymentWorkflowId } from '../../contract/ids.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { eventually } from '../harness/wait.ts';

const deploymentName = `isthmus/${randomUUID()}`;
const buildId = '1.0.0';
const gateway = await testGateway({
  settings: { TEMPORAL_DEPLOYMENT_NAME: deploymentName, TEMPORAL_WORKER_BUILD_ID: buildId },
});
const evidence = evidenceOf(gateway);
const { workflowService, workflow, options } = gateway.temporal;

const autoUpgrade = 2; // VERSIONING_BEHAVIOR_AUTO_UPGRADE

test('a worker with a version takes payments once its version is current, and they move with the current version', async () => {
  const { namespace } = options;
  const makeCurrent = () =>
    workflowService.setWorkerDeploymentCurrentVersion({
      namespace,
      deploymentName,
      buildId,
      ignoreMissingTaskQueues: true,
    });
  await eventually(makeCurrent, { everyMs: 200 }); // Temporal knows it by its first poll
  const message = instruction(await bestQuote(gateway));
  // until all task queues have heard of the current version, nobody takes the payment
  await eventually(async () => expect((await submit(gateway, message)).httpStatus).toBe(200));
  await evidence.closed(message.uetr);
  expect((await evidence.decision(message.uetr))?.status).toBe('ACCC');
  const { raw } = await workflow.getHandle(paymentWorkflowId(message.uetr)).describe();
  expect(raw.workflowExecutionInfo?.versioningInfo).toMatchObject({
    behavior: autoUpgrade,
    deploymentVersion: { deploymentName, buildId },
  });
});
