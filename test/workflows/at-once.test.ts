// Several requests reach one execution at the same moment, and its history still replays. An execution that cannot
// be replayed is stuck.
import { Worker } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { buildPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { paymentWorkflowId, resolutionWorkflowId } from '../../contract/ids.ts';
import { buildAcmt023 } from '../../fixtures/acmt023.ts';
import { accountRequest, askXml } from '../harness/asker.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submitXml } from '../harness/payer.ts';
import { postReport, reportOn, undecided } from '../harness/reports.ts';
import { testWorkflowBundle } from '../harness/temporal.ts';

const gateway = await testGateway();
const evidence = evidenceOf(gateway);
const workflowBundle = await testWorkflowBundle();

/** Runs it six times: each run showed the fault with high probability. */
async function several<T>(work: () => Promise<T>): Promise<T[]> {
  const done: T[] = [];
  for (let round = 0; round < 2; round += 1) done.push(...(await Promise.all([work(), work(), work()])));
  return done;
}

const changed = {
  broken: (xml: string) => xml.replace('<ChrgBr>SHAR', '<ChrgBr>DEBT'),
  other: (xml: string) => xml.replace('Canary Tan', 'Canary Lim'),
};

/** @throws when the history cannot be replayed by this code */
async function replays(workflowId: string): Promise<void> {
  const history = await gateway.temporal.workflow.getHandle(workflowId).fetchHistory();
  await Worker.runReplayHistory({ workflowBundle, replayName: workflowId }, history, workflowId);
}

async function expectReplayable(workflowIds: readonly string[]): Promise<void> {
  const stuck: string[] = [];
  for (const id of workflowIds) {
    await replays(id).catch((error: unknown) => stuck.push(`${id}: ${String(error).slice(0, 200)}`));
  }
  expect(stuck).toEqual([]);
}

/** Sends them at once, so that one workflow task gets several. */
async function submitTogether(...changes: readonly ((xml: string) => string)[]): Promise<string> {
  const message = instruction(await bestQuote(gateway), { ending: endingIn.creditedLater });
  const xml = buildPacs008(message);
  const answers = await Promise.all(
    [(one: string) => one, ...changes].map((change) => submitXml(gateway, change(xml))),
  );
  expect(answers.map((answer) => answer.httpStatus)).toEqual(answers.map(() => 200));
  return paymentWorkflowId(message.uetr);
}

describe('an execution that was asked several things at once replays', () => {
  it('a payment, another message with its keys, and a broken one', async () => {
    await expectReplayable(await several(() => submitTogether(changed.other, changed.broken)));
  });

  it('three reports of the destination, two of which say something else', async () => {
    const ids = await several(async () => {
      const { uetr } = await undecided(gateway);
      const { messageId = '' } = await evidence.arrival(uetr, 'destination', 'pacs008');
      gateway.reported.push(uetr);
      const reports = [{}, { status: 'BLCK' as const }, { status: 'RJCT' as const, reasonCode: 'AC04' }];
      await Promise.all(
        reports.map((said) =>
          postReport(gateway, reportOn({ messageIdentification: messageId, uetr }, said)),
        ),
      );
      await evidence.closed(uetr);
      return paymentWorkflowId(uetr);
    });
    await expectReplayable(ids);
  });

  it('a resolution, another request with its MsgId, and a broken one', async () => {
    const ids = await several(async () => {
      const request = accountRequest('5550000100');
      const xml = buildAcmt023(request);
      const copies = [
        xml,
        xml.replace('5550000100', '5550000200'),
        xml.replace('<Ccy>', '<Cxy>').replace('LOTUTHS0', 'lotuths0'),
      ];
      const answers = await Promise.all(copies.map((copy) => askXml(gateway, copy)));
      expect(answers.map((answer) => answer.httpStatus)).toEqual([200, 200, 200]);
      return resolutionWorkflowId('SGDFAST', request.messageIdentification);
    });
    await expectReplayable(ids);
  });
});
