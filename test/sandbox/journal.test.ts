// The journals: tests read them, and a restarted sandbox restores its state from them.
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readJournal } from '../../sandbox/journal-file.ts';
import { openJournal, type NewEntry } from '../../sandbox/journal.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { edit } from '../harness/patches.ts';
import {
  confirm,
  forwardedPacs008,
  instruct,
  post,
  readReport,
  startGatewayStub,
  startTestSandbox,
  statementOf,
  type GatewayStub,
} from './fixture.ts';

let journalDirectory: string;
let gateway: GatewayStub;

beforeEach(async () => {
  journalDirectory = mkdtempSync(join(tmpdir(), 'isthmus-journal-'));
  gateway = await startGatewayStub();
});

afterEach(async () => {
  rmSync(journalDirectory, { recursive: true });
  await gateway.close();
});

const entry = (note: string): NewEntry => ({
  party: 'source/SGDFAST',
  direction: 'received',
  kind: 'unknown',
  note,
});

test('what is read back is what was recorded, byte for byte, UTF-8 or not', async () => {
  const journal = openJournal({ directory: journalDirectory });
  const bodies = ['<a>ü漢字</a>', Buffer.from([0xff, 0x00, 0xfe]), '\ufeff<a/>\r\n', ''].map((one) =>
    Buffer.from(one),
  );
  const recorded = bodies.map((bytes) => journal.record({ ...entry('x'), bytes }));
  await journal.flush();
  const read = readJournal(journalDirectory);
  expect(read.map(({ bytes }) => Buffer.from(bytes!))).toEqual(bodies);
  expect(read.map(({ sha256 }) => sha256)).toEqual(recorded.map(({ sha256 }) => sha256));
  expect(read[0]).toEqual(recorded[0]);
  await journal.close();
});

test('the parties of a payment have a file each; their entries are read in the order of time', async () => {
  const sandbox = await startTestSandbox(gateway, { journalDirectory });
  const forwarded = forwardedPacs008({ ending: endingIn.creditedAtOnce });
  await instruct(sandbox, gateway, forwarded);
  await post(sandbox.callbackUrl('SGDFAST'), statementOf(forwarded, 'ACCC'));
  await sandbox.close();
  const story = readJournal(journalDirectory).map(
    ({ party, direction, kind }) => `${party} ${direction} ${kind}`,
  );
  expect(story).toEqual([
    'destination/IPSO-TH received pacs008',
    'destination/IPSO-TH booked ledger',
    'destination/IPSO-TH sent pacs002',
    'source/SGDFAST received pacs002',
  ]);
  expect(readJournal(journalDirectory, 'source/SGDFAST')).toHaveLength(1);
  expect(readJournal(journalDirectory, 'fxp/MERISGS0')).toEqual([]);
});

test('a line that a crash cut off is left out', async () => {
  const journal = openJournal({ directory: journalDirectory });
  journal.record(entry('whole'));
  await journal.close();
  appendFileSync(join(journalDirectory, 'source-SGDFAST.jsonl'), '{"sequence":2,"at":"20');
  expect(readJournal(journalDirectory).map(({ note }) => note)).toEqual(['whole']);
});

test('a restarted sandbox credits nothing twice, repeats its reports byte for byte and keeps what was cancelled', async () => {
  const credited = forwardedPacs008({ ending: endingIn.creditedAtOnce });
  const lost = forwardedPacs008({ ending: endingIn.cut });
  const reversed = forwardedPacs008({ ending: endingIn.creditedAtOnce, priority: 'HIGH' });
  const cancelled = forwardedPacs008({ ending: endingIn.creditedAtOnce, priority: 'HIGH' });
  const first = await startTestSandbox(gateway, { journalDirectory });
  const before = await instruct(first, gateway, credited);
  await expect(instruct(first, gateway, lost)).rejects.toThrow();
  await instruct(first, gateway, reversed);
  await confirm(first, statementOf(reversed, 'RJCT'));
  await confirm(first, statementOf(cancelled, 'RJCT'));
  await first.close();

  const second = await startTestSandbox(gateway, { journalDirectory });
  const after = await instruct(second, gateway, credited);
  expect(after.bytes.equals(before.bytes)).toBe(true);
  expect(await readReport((await instruct(second, gateway, lost)).bytes)).toMatchObject({ status: 'ACCC' });
  for (const rejected of [reversed, cancelled]) {
    const { bytes } = await instruct(second, gateway, rejected);
    expect(await readReport(bytes)).toMatchObject({ status: 'RJCT', reasonCode: 'AB03' });
  }
  const other = { ...credited, text: edit(credited.text, 'Somchai', 'Somsak') };
  expect((await instruct(second, gateway, other)).status).toBe(409);
  expect(second.journal.entries().filter(({ kind }) => kind === 'ledger')).toEqual([]);
  await second.close();
});

test('an instruction without an outcome is forgotten by a restart, and credited when it comes again', async () => {
  const forwarded = forwardedPacs008({ ending: endingIn.creditedLater });
  const slow = { answerDelayMs: 60_000 };
  const first = await startTestSandbox(gateway, { journalDirectory, timings: slow });
  await instruct(first, gateway, forwarded);
  await first.close();
  const second = await startTestSandbox(gateway, { journalDirectory });
  expect((await instruct(second, gateway, forwarded)).status).toBe(202);
  await second.journal.waitFor(({ kind, status }) => kind === 'ledger' && status === 'moved', 60_000);
  await second.close();
});
