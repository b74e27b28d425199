// The external code sets are data (MSG-4): api and worker load the latest edition, name it, and judge by it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { startApi } from '../../../api/start.ts';
import { startWorker } from '../../../activities/start.ts';
import shipped from '../../../core/iso20022/code-sets.json' with { type: 'json' };
import { codeSets } from '../../../core/iso20022/external-codes.ts';
import { buildPacs008 } from '../../../core/iso20022/build-pacs008.ts';
import { openCodeSets } from '../../../xml/open-code-sets.ts';
import { instruction } from '../../../fixtures/instruction.ts';
import { testGateway } from '../../harness/gateway.ts';
import { bestQuote, submit } from '../../harness/payer.ts';
import { testWorkflowBundle } from '../../harness/temporal.ts';
import { pino } from 'pino';
import { told, type DryRun } from './dry-run.ts';

const folders: string[] = [];
afterAll(() => {
  openCodeSets(undefined); // of this process, in which other tests follow
  for (const one of folders) rmSync(one, { recursive: true });
});

/** A directory with these files. */
function directoryOf(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-code-sets-'));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

const { codeSets: sets } = shipped;
const newer = {
  edition: '9Q2099',
  published: '2099-12-31',
  codeSets: { ...sets, ExternalPurpose1Code: [...sets.ExternalPurpose1Code, 'ZZZA'] },
};
const older = { ...newer, edition: '1Q1999', published: '1999-05-31' };

const gateway = await testGateway({
  settings: { CODE_SETS_DIR: directoryOf({ 'old.json': older, 'new.json': newer, 'README.txt': 'notes' }) },
});
const paying = async (purpose: string) => instruction(await bestQuote(gateway), { purpose });

describe('a newer edition', () => {
  test('takes a code that the shipped one does not know (MSG-4)', async () => {
    expect((await submit(gateway, await paying('ZZZA'))).report).toMatchObject({ status: 'ACTC' });
  });

  test('is named where a code is refused: in AddtlInf, in the header, and by the dry run (MSG-4)', async () => {
    const message = await paying('ZZZZ');
    const { report, headers } = await submit(gateway, message);
    const said = 'MSG-4 CdtTrfTxInf/Purp/Cd: code not in edition 9Q2099 of its code set. Found: ZZZZ.';
    expect(report).toMatchObject({ status: 'RJCT', reasonCode: 'FF01' });
    expect(report?.additionalInformation?.[0]).toContain(said);
    expect(headers.get('isthmus-rejection')).toContain('edition 9Q2099');
    const answer = await fetch(`${gateway.url}/iso20022/validate`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await gateway.token('SGDFAST')}`,
        'content-type': 'application/xml',
      },
      body: buildPacs008(message),
    });
    const run = (await answer.json()) as DryRun & { codeSets: unknown };
    expect(told(run)).toEqual(['FF01 MSG-4 CdtTrfTxInf/Purp/Cd']);
    expect(run.codeSets).toEqual({ edition: '9Q2099', published: '2099-12-31' });
  });

  test.each(['api', 'worker'] as const)('is named by the metrics of the %s', async (of) => {
    const metrics = await (await fetch(`${gateway.telemetryUrl(of)}/metrics`)).text();
    expect(metrics).toContain('isthmus_code_sets_info{edition="9Q2099",published="2099-12-31"} 1');
  });
});

describe('a file that is not valid stops the start, and is named with what is wrong', () => {
  const others = { ...sets, ExternalPurpose1Code: undefined };
  test.each([
    ['no JSON', '{', 'JSON'],
    ['no edition', { ...newer, edition: '' }, 'edition is up to 20 letters'],
    ['a set missing', { ...newer, codeSets: others }, 'codeSets/ExternalPurpose1Code is a list'],
  ])('%s', (_, file, said) => {
    const before = codeSets();
    const folder = directoryOf({ 'fine.json': newer, 'broken.json': file });
    const open = () => openCodeSets(folder);
    expect(open).toThrow(`CODE_SETS_DIR: ${join(folder, 'broken.json')} cannot be used: `);
    expect(open).toThrow(said);
    expect(codeSets()).toBe(before);
  });

  test('of an api, and of a worker', async () => {
    const codeSetsDirectory = directoryOf({ 'broken.json': '{' });
    const logger = pino({ level: 'silent' });
    const api = startApi({ ...gateway.config, port: 0, codeSetsDirectory }, { logger });
    await expect(api).rejects.toThrow('broken.json cannot be used');
    const workflowBundle = await testWorkflowBundle();
    const worker = startWorker(
      { ...gateway.workerConfig, codeSetsDirectory },
      { logger, workflowBundle, taskQueuePrefix: 'broken-' },
    );
    await expect(worker).rejects.toThrow('broken.json cannot be used');
  });
});
