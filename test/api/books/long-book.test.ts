// The database stops while the book of a long day is sent. A truncated book never looks complete, and the failure is
// logged (REC-1, OBS-1).
import { sql } from 'kysely';
import { beforeAll, expect, test, vi } from 'vitest';
import { endingIn } from '../../../fixtures/endings.ts';
import { evidenceOf } from '../../harness/evidence.ts';
import { testGateway } from '../../harness/gateway.ts';
import { instruction } from '../../../fixtures/instruction.ts';
import { copyDecided } from '../../../fixtures/many-payments.ts';
import { bestQuote, submit } from '../../harness/payer.ts';
import { eventually } from '../../harness/wait.ts';

const gateway = await testGateway();
const { db } = gateway;
const evidence = evidenceOf(gateway);
const many = 30_000; // more than the buffers of a connection hold

beforeAll(async () => {
  const message = instruction(await bestQuote(gateway), { ending: endingIn.creditedAtOnce });
  await submit(gateway, message, { clientId: 'SGDFAST', prefer: 'wait=20' });
  await eventually(async () => expect(await evidence.decision(message.uetr)).toBeDefined());
  for (let hour = 0; hour < 10; hour += 1) {
    const decidedAt = `2026-01-07T0${hour}:00:00Z`;
    await copyDecided(db, { of: message.uetr, count: many / 10, decidedAt });
  }
  await sql`analyze payments`.execute(db);
  await sql`analyze decisions`.execute(db);
});

const read = async (path: string) =>
  fetch(new URL(`${path}?clearingSystem=SGDFAST&date=2026-01-07`, gateway.url), {
    headers: { authorization: `Bearer ${await gateway.token('SGDFAST')}` },
  });

test.each(['/reconciliation', '/reconciliation/csv'])(
  '%s that breaks off on its way does not look whole, and is one line of the log (REC-1, OBS-1)',
  async (path) => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    try {
      const answer = await read(path);
      const reader = answer.body?.getReader();
      await reader?.read();
      const rest = async () => {
        while ((await reader?.read())?.done === false);
        return 'looks whole';
      };
      const ending = await db.transaction().execute(async (trx) => {
        await sql`lock table decisions in access exclusive mode`.execute(trx);
        return rest().catch(() => 'breaks off');
      });
      expect(ending).toBe('breaks off');
      expect(said.mock.calls.map(([error]) => String(error))).toEqual([]); // beside the log, in many lines
    } finally {
      said.mockRestore();
    }
  },
);

test('a book that cannot be read at all is a problem, and no 200 that breaks off (REC-1)', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  try {
    const answer = await db.transaction().execute(async (trx) => {
      await sql`lock table decisions in access exclusive mode`.execute(trx);
      return read('/reconciliation');
    });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([503, 'application/problem+json']);
  } finally {
    said.mockRestore();
  }
});
