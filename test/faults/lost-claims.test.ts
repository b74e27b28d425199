// The commit of a claim succeeds and its answer is lost, as in a failover. The claimant knows that it has sent
// nothing and reuses its claim. Anybody else counts the attempt as MAYBE_SENT.
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createDecidePayment } from '../../activities/payments/decide-payment.ts';
import { createDeliver } from '../../activities/deliveries/deliver.ts';
import { createForwardPayment } from '../../activities/payments/forward-payment.ts';
import { connect } from '../../db/pool/connection.ts';
import { inActivity, workbench } from '../activities/workbench.ts';
import { setEndpoint } from '../harness/destination.ts';
import { faultProxy } from '../harness/fault-proxy.ts';
import { reading } from '../harness/listening.ts';
import { acceptedAgo, dueIn } from '../harness/rewritten.ts';
import { eventually } from '../harness/wait.ts';

const often = { everyMs: 5 };
const { deps, accepted, databaseUrl } = await workbench();
const { db } = deps;
const proxy = await faultProxy(databaseUrl);
const through = connect(proxy.address, { applicationName: 'isthmus-test-lost', maxConnections: 1 });
afterAll(() => through.destroy());
const forwardPayment = createForwardPayment({ ...deps, db: through });
const deliver = createDeliver({ ...deps, db: through });
const decidePayment = createDecidePayment(deps);

let requests = 0;
const source = await reading((response) => {
  requests += 1;
  response.writeHead(200).end();
});
const callbackUrl = `${source}/callback`;

// nobody listens there: every send is NOT_SENT
const nowhere = 'http://127.0.0.1:9';
await setEndpoint(db, 'IPSO-TH', nowhere);
await eventually(() => expect(deps.reference().operators.get('IPSO-TH')?.endpointUrl).toBe(nowhere), often);

beforeEach(async () => {
  requests = 0;
  await sql`select 1`.execute(through); // opens the connection
});

const attemptsOf = async (uetr: string, kind: string) => {
  const rows = await db
    .selectFrom('delivery_attempts as a')
    .innerJoin('deliveries as d', 'd.delivery_id', 'a.delivery_id')
    .select('a.outcome')
    .where('d.subject_id', '=', uetr)
    .where('d.kind', '=', kind)
    .orderBy('a.attempt')
    .execute();
  return rows.map(({ outcome }) => outcome ?? 'open');
};

/** Runs an activity and retries it as Temporal does. The first answer to a claim is lost. */
async function losingTheClaim<T>(
  payment: { readonly uetr: string; readonly kind: string },
  activity: () => Promise<T>,
  meanwhile: () => Promise<unknown> = () => Promise.resolve(),
): Promise<T | string> {
  const settled = () =>
    inActivity(activity).catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
  proxy.keepAnswers();
  const first = settled();
  try {
    await eventually(
      async () => expect(await attemptsOf(payment.uetr, payment.kind)).toEqual(['open']),
      often,
    );
    await meanwhile();
  } finally {
    proxy.reset();
  }
  const outcome = await first;
  return typeof outcome === 'string' && /ECONNRESET|terminated/.test(outcome) ? settled() : outcome;
}

describe('the claim of an instruction whose answer is lost', () => {
  const destinationSystem = 'THBPPAY';

  test('is the same claim when it is asked for again: one attempt, NOT_SENT, and ED06 stays possible (TIM-3)', async () => {
    const { uetr, deliveryId } = await accepted();
    const input = { uetr, deliveryId, destinationSystem };
    const told = await losingTheClaim({ uetr, kind: 'instruction' }, () => forwardPayment(input));
    expect(told).toBe('THBPPAY: NOT_SENT (refused)');
    expect(await attemptsOf(uetr, 'instruction')).toEqual(['NOT_SENT']);
    await acceptedAgo(db, uetr, 60_000);
    expect(await decidePayment({ uetr, cause: { by: 'unreachable' } })).toMatchObject({ reasonCode: 'ED06' });
  });

  test('uses up none of the four sends of its round (TIM-3)', async () => {
    const { uetr, deliveryId } = await accepted();
    const input = { uetr, deliveryId, destinationSystem };
    await losingTheClaim({ uetr, kind: 'instruction' }, () => forwardPayment(input));
    const { attempts_since_asked: sends } = await db
      .selectFrom('deliveries')
      .select('attempts_since_asked')
      .where('delivery_id', '=', deliveryId)
      .executeTakeFirstOrThrow();
    expect(sends).toBe(1);
  });

  test('and whose deadline passes meanwhile sends nothing and says so: NOT_SENT (TIM-1)', async () => {
    const { uetr, deliveryId } = await accepted({ priority: 'HIGH' });
    const input = { uetr, deliveryId, destinationSystem };
    await losingTheClaim(
      { uetr, kind: 'instruction' },
      () => forwardPayment(input),
      () => dueIn(db, [uetr], -1),
    );
    expect(await attemptsOf(uetr, 'instruction')).toEqual(['NOT_SENT']);
  });

  test('and whose payment is decided meanwhile sends nothing and says so: NOT_SENT (PAY-7)', async () => {
    const { uetr, deliveryId } = await accepted();
    const input = { uetr, deliveryId, destinationSystem };
    await losingTheClaim(
      { uetr, kind: 'instruction' },
      () => forwardPayment(input),
      async () => {
        await dueIn(db, [uetr], -1);
        await decidePayment({ uetr, cause: { by: 'deadline' } });
      },
    );
    expect(await attemptsOf(uetr, 'instruction')).toEqual(['NOT_SENT']);
    // the destination saw no instruction, so it gets no confirmation
    const confirmation = db
      .selectFrom('deliveries')
      .where('subject_id', '=', uetr)
      .where('kind', '=', 'confirmation');
    expect(await confirmation.select('attempts').execute()).toEqual([]);
  });
});

test('the claim of a callback whose answer is lost is the same claim: sent at once, by one attempt (CBK-1)', async () => {
  const { uetr } = await accepted({}, callbackUrl);
  await dueIn(db, [uetr], -1);
  await decidePayment({ uetr, cause: { by: 'deadline' } });
  await losingTheCallback(uetr);
  expect([requests, await attemptsOf(uetr, 'callback')]).toEqual([1, ['ANSWERED']]);
});

/** Loses the answers from the claim on; the list of open deliveries still arrives. */
async function losingTheCallback(uetr: string): Promise<void> {
  await sql`
    create function holds() returns trigger language plpgsql as $$ begin
      perform pg_advisory_xact_lock(4711);
      return new;
    end $$;
    create trigger holds before insert on delivery_attempts for each row execute function holds()`.execute(
    db,
  );
  try {
    let run: Promise<unknown> = Promise.resolve();
    await db.transaction().execute(async (holder) => {
      await sql`select pg_advisory_xact_lock(4711)`.execute(holder);
      run = inActivity(() => deliver({ subjectId: uetr })).catch(() => undefined);
      await eventually(async () => {
        const { rows } = await sql`
          select from pg_stat_activity
          where datname = current_database() and wait_event = 'advisory'`.execute(db);
        expect(rows).toHaveLength(1);
      }, often);
      proxy.keepAnswers();
    });
    await eventually(async () => expect(await attemptsOf(uetr, 'callback')).toEqual(['open']), often);
    proxy.reset();
    await run;
  } finally {
    await sql`drop function holds cascade`.execute(db);
  }
}
