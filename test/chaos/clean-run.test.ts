// The oracle on fresh evidence of today's code. With RECORD_EVIDENCE=1 it takes two minutes and keeps that evidence as
// the fixture from which the other tests of the oracle start:
//   RECORD_EVIDENCE=1 npx vitest run test/chaos/clean-run.test.ts
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { judge } from '../../chaos/oracle/judge.ts';
import { readEvidence } from '../../chaos/oracle/read-evidence.ts';
import { setEndpoint } from '../harness/destination.ts';
import { testGateway } from '../harness/gateway.ts';
import { recordCleanRun } from './clean-run.ts';

const whole = process.env['RECORD_EVIDENCE'] !== undefined;
const log: string[] = [];
const gateway = await testGateway({
  maxExecutionSeconds: 4,
  timings: { lateByMs: 500 },
  logger: pino({ level: 'trace' }, { write: (line: string) => void log.push(line) }),
  prepare: async (db) => {
    await setEndpoint(db, 'IPSO-PH', 'http://127.0.0.1:1');
    await db
      .updateTable('clearing_systems')
      .set({ max_resolution_seconds: 2 })
      .where('clearing_system_id', '=', 'MYRRPP')
      .execute();
  },
});

test('a run without faults has no breach', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-evidence-'));
  await recordCleanRun({ gateway, log, folder, whole });
  if (whole) keep(folder);
  expect(judge(readEvidence(folder)).breaches).toEqual([]);
});

/** All files in one, compressed. */
function keep(folder: string): void {
  const files = Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(json|jsonl|log)$/.test(name))
      .sort()
      .map((name) => [name, withoutTraces(readFileSync(join(folder, name), 'utf8'))]),
  );
  const fixture = join(import.meta.dirname, 'fixtures', 'clean', 'evidence.json.gz');
  writeFileSync(fixture, gzipSync(JSON.stringify(files), { level: 9 }));
}

/** Nothing of the machine that recorded: neither its name nor its folders. */
function withoutTraces(text: string): string {
  return text
    .replaceAll(/\d+@[\w.-]+/g, 'recorder')
    .replaceAll(join(import.meta.dirname, '..', '..'), '/isthmus');
}
