// `isthmus audit verify`, as an auditor runs it with a login that may only read: a worker has sealed what was decided, and a
// change behind our back is named (SEC-6).
import { pino } from 'pino';
import { sql } from 'kysely';
import { afterAll, expect, it, vi } from 'vitest';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { madeAgo } from '../harness/old-partitions.ts';
import { withRole } from '../harness/database.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { rewritten } from '../harness/rewritten.ts';
import { commandFolder } from './command.ts';

interface Line {
  readonly msg: string;
  readonly digest?: string;
}
const lines: Line[] = [];
const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Line) });
const gateway = await testGateway({ logger });
const { db } = gateway;
const evidence = evidenceOf(gateway);
const place = await commandFolder();
afterAll(() => place.remove());

async function audit(...args: readonly string[]) {
  const DATABASE_URL = withRole(gateway.databaseUrl, 'isthmus_readonly');
  const command = place.runWith({ DATABASE_URL }, 'audit', ...args);
  return { code: await command.ended, output: command.output() };
}

it('says that all is as it was, and whose decision is not', { timeout: 90_000 }, async () => {
  expect(await audit('verify')).toMatchObject({
    code: 1,
    output: expect.stringContaining('There is no seal yet') as string,
  });
  const message = instruction(await bestQuote(gateway));
  const { uetr } = message;
  await submit(gateway, message);
  await evidence.arrival(uetr, 'source', 'pacs002');
  await evidence.closed(uetr);
  await gateway.stopWorker();
  await madeAgo(db, uetr, '2 hours');
  await gateway.startWorker();
  const sealed = await vi.waitFor(() => {
    const found = lines.filter(({ msg }) => msg === 'record sealed');
    expect(found.length).toBeGreaterThan(0);
    return found;
  }, 10_000);
  const head = sealed[0]?.digest ?? '';
  expect(await audit('verify', '--head', head)).toMatchObject({
    code: 0,
    output: expect.stringMatching(
      /^✓ 1 decisions and events of \d hours are as they were\nNewest seal, until \S+: [0-9a-f]{64}\n$/,
    ) as string,
  });
  expect(await audit('verify', '--head', head.replace(/^./, head.startsWith('0') ? '1' : '0'))).toMatchObject(
    {
      code: 1,
      output: expect.stringContaining('the seals were replaced') as string,
    },
  );
  expect((await audit('verify', '--head', 'abc')).code).toBe(2);

  await rewritten(db, sql`update decisions set status = 'RJCT' where uetr = ${uetr}`);
  const found = await audit('verify');
  expect(found.code).toBe(1);
  expect(found.output).toContain(`the decision of payment ${uetr} was changed`);
  expect(found.output).toMatch(/\n✗ 1 of 1 decisions, events and seals of \d hours are not as they were\n/);
});
