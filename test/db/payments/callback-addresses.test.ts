// A source names another callback address while the gateway writes its answer. The answer goes to the address that
// was named last (DUP-1).
import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { createDecidePayment } from '../../../activities/payments/decide-payment.ts';
import { createValidatePayment } from '../../../activities/payments/validate-payment.ts';
import type { Db } from '../../../db/pool/connection.ts';
import { nameCallbackAddress } from '../../../db/payments/asks.ts';
import { workbench } from '../../activities/workbench.ts';
import { instruction, ownExchange } from '../../../fixtures/instruction.ts';
import { accountRequest } from '../../harness/asker.ts';
import { playOperator, resolutionSteps } from '../../activities/resolutions/resolution-steps.ts';
import { dueIn } from '../../harness/rewritten.ts';
import { eventually } from '../../harness/wait.ts';

const payments = await workbench();
const resolutions = await resolutionSteps(await playOperator());
const validatePayment = createValidatePayment(payments.deps);
const named = 'http://127.0.0.1:9/named-later';
const lock = 4711;
const often = { everyMs: 5 };

/** Something that writes a callback, and what names another address for it. */
interface Writer {
  readonly db: Db;
  readonly submission: { readonly messageId: string; readonly subjectId: string };
  readonly write: () => Promise<unknown>;
}

const writers = {
  'a rejection': async (): Promise<Writer> => {
    const message = instruction(ownExchange(), { purpose: 'ZZZZ' });
    const messageId = await payments.store(message);
    return {
      db: payments.deps.db,
      submission: { messageId, subjectId: message.uetr },
      write: () => validatePayment({ messageId }),
    };
  },
  'the answer of a resolution': async (): Promise<Writer> => {
    const { db } = resolutions;
    const routed = await resolutions.routed(accountRequest('1'));
    const { resolutionId } = routed;
    const past = { deadline_at: new Date(Date.now() - 1) };
    await db.updateTable('resolutions').set(past).where('resolution_id', '=', resolutionId).execute();
    return {
      db,
      submission: { messageId: resolutionId, subjectId: resolutionId },
      write: () => resolutions.end(routed),
    };
  },
};

afterEach(async () => {
  for (const db of [payments.deps.db, resolutions.db])
    await sql`drop function holds cascade`.execute(db).catch(() => undefined);
});

const waiting = async (db: Db) => {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows.length;
};

/** Holds the writer at an event of a table, while `meanwhile` is done. */
async function heldAt(
  event: string,
  { db, write }: Writer,
  meanwhile: () => Promise<unknown>,
): Promise<void> {
  await sql
    .raw(
      `create function holds() returns trigger language plpgsql as
         $$ begin perform pg_advisory_xact_lock(${lock}); return new; end $$;
       create trigger holds ${event} for each row execute function holds()`,
    )
    .execute(db);
  let written: Promise<unknown> = Promise.resolve();
  await db.transaction().execute(async (holder) => {
    await sql`select pg_advisory_xact_lock(${lock})`.execute(holder);
    written = write();
    await eventually(async () => expect(await waiting(db)).toBe(1), often);
    await meanwhile();
  });
  await written;
}

const urlOf = async ({ db, submission: { subjectId } }: Writer) => {
  const { url } = await db
    .selectFrom('deliveries')
    .select('url')
    .where('subject_id', '=', subjectId)
    .where('kind', '=', 'callback')
    .executeTakeFirstOrThrow();
  return url;
};

describe.each(['a rejection', 'the answer of a resolution'] as const)(
  '%s goes to the address that is named',
  (kind) => {
    test('while it is being written, before its callback is', async () => {
      const writer = await writers[kind]();
      const table = kind === 'a rejection' ? 'payments' : 'resolution_answers';
      await heldAt(`before insert on ${table}`, writer, () =>
        nameCallbackAddress(writer.db, { ...writer.submission, url: named }),
      );
      expect(await urlOf(writer)).toBe(named);
    });

    test('while it is being written, after its callback is', async () => {
      const writer = await writers[kind]();
      let isNamed = false;
      let naming: Promise<unknown> = Promise.resolve();
      await heldAt('after insert on deliveries', writer, async () => {
        naming = nameCallbackAddress(writer.db, { ...writer.submission, url: named }).then(() => {
          isNamed = true;
        });
        await eventually(async () => expect(isNamed || (await waiting(writer.db)) === 2).toBe(true), often);
      });
      await naming;
      expect(await urlOf(writer)).toBe(named);
    });
  },
);

test('a refused repeat names no address for the payment that it repeats, however often it comes (DUP-2)', async () => {
  const { db } = payments.deps;
  const { uetr } = await payments.accepted();
  await dueIn(db, [uetr], 0);
  const messageId = await payments.store(
    instruction(ownExchange(), { uetr }),
    'http://127.0.0.1:9/of-the-repeat',
  );
  expect(await validatePayment({ messageId })).toMatchObject({ verdict: 'refused' });
  await nameCallbackAddress(db, { messageId, subjectId: uetr, url: named });
  await createDecidePayment(payments.deps)({ uetr, cause: { by: 'deadline' } });
  await nameCallbackAddress(db, { messageId, subjectId: uetr, url: `${named}/again` });
  const submission = { messageId, subjectId: uetr };
  expect(await urlOf({ db, submission, write: () => Promise.resolve() })).toBe('http://127.0.0.1:9/callback');
});
