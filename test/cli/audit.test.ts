// `isthmus audit verify`, as an auditor runs it with a login that may only read: a worker has sealed what was decided, and a
// change behind our back is named (SEC-6).
import { pino } from 'pino';
import { sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { madeAgo } from '../harness/old-partitions.ts';
import { withRole } from '../harness/database.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { rewritten } from '../harness/rewritten.ts';
import { commandFolder } from './command.ts';
import { eventually } from '../harness/wait.ts';

interface Line {
  readonly msg: string;
  readonly digest?: string;
  readonly keyId?: string;
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

it('says that all is as it was, and whose decision is not', async () => {
  const alone = 'These seals were compared with nothing outside of the database';
  // what the copied database has of an hour that may be over by now, and be sealed
  await gateway.stopWorker();
  for (const table of ['audit_seals', 'audit_events'])
    await rewritten(db, sql`delete from ${sql.table(table)}`);
  const from = lines.length;
  const fresh = await audit('verify');
  expect(fresh).toMatchObject({ code: 0, output: expect.stringMatching(/^There is no seal yet/) as string });
  expect(fresh.output).not.toContain(alone);
  await gateway.startWorker();
  const message = instruction(await bestQuote(gateway));
  const { uetr } = message;
  await submit(gateway, message);
  await evidence.arrival(uetr, 'source', 'pacs002');
  await evidence.closed(uetr);
  await gateway.stopWorker();
  await madeAgo(db, uetr, '2 hours');
  await gateway.startWorker();
  const sealed = await eventually(() => {
    const found = lines.slice(from).filter(({ msg }) => msg === 'record sealed');
    expect(found.length).toBeGreaterThan(0);
    return found;
  });
  const head = sealed[0]?.digest ?? '';
  const made = lines.find(({ msg }) => msg === 'a key of what is sent was made')?.keyId ?? '';
  const asSealed = await audit('verify', '--head', head, '--key', made);
  expect(asSealed.output).toMatch(
    /^✓ 1 decisions and events of \d hours are as their seals say\nSigned by key \S{43}: \d hours\nThe seals until \S+ are those of which the digest was kept\.\nNewest seal, until \S+: [0-9a-f]{64}\n$/,
  );
  expect(asSealed.output).toContain(`Signed by key ${made}`);
  expect(asSealed.code).toBe(0);
  const unheard = await audit('verify');
  expect([unheard.code, unheard.output.includes(alone)]).toEqual([0, true]);
  const another = made.replace(/^./, made.startsWith('A') ? 'B' : 'A');
  expect(await audit('verify', '--key', another)).toMatchObject({
    code: 1,
    output: expect.stringContaining(`is signed by key ${made}, which --key does not name`) as string,
  });
  expect((await audit('verify', '--key', 'abc')).code).toBe(2);
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
  expect(found.output).toMatch(/\n✗ Faults: 1\. Under seals: 1 decisions and events of \d hours\n/);
});

it('hours that are sealed late are named, until their digest is kept elsewhere', async () => {
  await gateway.stopWorker();
  for (const table of ['audit_seals', 'decisions', 'audit_events'])
    await rewritten(db, sql`delete from ${sql.table(table)}`);
  await sql`insert into audit_events (occurred_at, severity, kind, subject_id, detail)
    values (now() - interval '6 hours', 'info', 'operator.enquiry', gen_random_uuid(), '{}')`.execute(db);
  expect(await audit('verify')).toMatchObject({
    code: 1,
    output: expect.stringMatching(
      /^! there is no seal, though something is on record since .*\n✗ Faults: 1\. Under seals: nothing\n$/,
    ) as string,
  });
  lines.length = 0;
  await gateway.startWorker();
  await eventually(async () => {
    const { rows } = await sql`select from audit_seals where until > now() - interval '3 hours'`.execute(db);
    expect(rows.length).toBeGreaterThan(1);
  });
  const late = await audit('verify');
  expect(late.code).toBe(1);
  expect(late.output).toMatch(
    /^! hours until \S+ to \S+ were sealed late, \S+ to \S+: no worker ran then, or /,
  );
  expect(late.output).toMatch(/\n\? 1 decisions and events of \d hours are as their seals say\n/);
  const head = / until \S+: ([0-9a-f]{64})\n$/.exec(late.output)?.[1] ?? '';
  expect(await audit('verify', '--head', head)).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^✓ 1 decisions/) as string,
  });
});
