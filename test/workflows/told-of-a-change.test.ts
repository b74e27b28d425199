// What each party is told of each change of a payment is what the table of its states has (LIF-1), on real parts: the
// answer to the submission, and every delivery that the payment has got in the end.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { paymentChanges } from '../../core/payments/payment-states.ts';
import { endingIn, type Ending } from '../../fixtures/endings.ts';
import { instruction, type Changes } from '../../fixtures/instruction.ts';
import type { Evidence as EvidenceBody } from '../../fixtures/bodies.ts';
import { setEndpoint } from '../harness/destination.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { writeEvent } from '../harness/events.ts';
import { testGateway } from '../harness/gateway.ts';
import { jsonRoutes } from '../harness/json-routes.ts';
import { bestQuote, submit, type Trip } from '../harness/payer.ts';
import { sendsEnded } from '../harness/reports.ts';
import { quietPort } from '../harness/quiet-port.ts';
import { eventually } from '../harness/wait.ts';

const nobodyListens = `http://127.0.0.1:${await quietPort()}`;
const gateway = await testGateway({
  maxExecutionSeconds: 6,
  sweepEveryMs: 500,
  prepare: async (db) => {
    await setEndpoint(db, 'IPSO-MY', nobodyListens);
    await sql
      .raw(
        `create function earlier() returns trigger language plpgsql security definer as
          $$ begin new.judged_at := new.judged_at - interval '55 s'; return new; end $$;
         create trigger earlier before insert on payments for each row
           when (new.destination_clearing_system = 'MYRRPP') execute function earlier()`,
      )
      .execute(db);
  },
});
const { db } = gateway;
const evidence = evidenceOf(gateway);
const ask = await jsonRoutes<EvidenceBody & { readonly outcomeId: string }>(gateway);

type Change = keyof typeof paymentChanges;
const inThailand = (ending: Ending): Changes => ({ ending, priority: 'NORM' });
const toMalaysia: Trip = { destination: 'MY', destinationCurrency: 'MYR' };

interface Case {
  /** What becomes of it, one change after the other. */
  readonly changes: readonly Change[];
  readonly pays: Changes;
  readonly trip?: Trip;
  /** What is done once it was answered. */
  readonly then?: (uetr: string) => Promise<void>;
}

async function peopleFindOut(uetr: string, outcome: { status: string; reasonCode?: string }): Promise<void> {
  await sendsEnded(gateway, uetr);
  await writeEvent(db, { severity: 'alert', kind: 'payment.in-doubt', subjectId: uetr });
  const path = `/payments/${uetr}/outcomes`;
  const { body } = await ask('POST', path, { ...outcome, evidence: 'their desk, by telephone' }, 'operator');
  const { status } = outcome;
  const confirmed = await ask('POST', `${path}/${body.outcomeId}/confirmation`, { status }, 'operator2');
  expect(confirmed.status, JSON.stringify(confirmed.body)).toBe(200);
}

const first = instruction(await bestQuote(gateway), inThailand(endingIn.creditedLater));
await submit(gateway, first);
const { messageIdentification } = first; // another payment holds it from now on

const cases: readonly Case[] = [
  { changes: ['Accepted'], pays: inThailand(endingIn.silent) },
  { changes: ['Refused as a repeat'], pays: { messageIdentification } },
  { changes: ['Rejected at once'], pays: { creditorAgent: { bicfi: 'NOBOTHB0' } } },
  { changes: ['Accepted', 'Credited'], pays: inThailand(endingIn.creditedAtOnce) },
  { changes: ['Accepted', 'Rejected by the destination'], pays: inThailand(endingIn.rejected) },
  { changes: ['Accepted', 'Blocked'], pays: inThailand(endingIn.blocked) },
  { changes: ['Accepted', 'Too late'], pays: { ending: endingIn.silent, priority: 'HIGH' } },
  { changes: ['Accepted', 'Unreachable'], pays: { priority: 'NORM' }, trip: toMalaysia },
  {
    changes: ['Accepted', 'In doubt', 'Found to be credited'],
    pays: inThailand(endingIn.silent),
    then: (uetr) => peopleFindOut(uetr, { status: 'ACCC' }),
  },
  {
    changes: ['Accepted', 'In doubt', 'Found not to be credited'],
    pays: inThailand(endingIn.silent),
    then: (uetr) => peopleFindOut(uetr, { status: 'RJCT', reasonCode: 'AC04' }),
  },
];

test('every change is caused here, but for that by which a payment comes to be', () => {
  const caused = new Set(cases.flatMap(({ changes }) => changes));
  expect(new Set([...caused, 'Received'])).toEqual(new Set(Object.keys(paymentChanges)));
});

test.concurrent.each(cases)(
  'each change causes the messages that the table has for it, and no other (LIF-1): $changes',
  async ({ changes, pays, trip, then }) => {
    const message = instruction(await bestQuote(gateway, trip), pays);
    const { report, text } = await submit(gateway, message);
    expect(report, text).toBeDefined();
    const { uetr } = message;
    if (then !== undefined) {
      await evidence.arrival(uetr, 'destination', 'pacs008');
      await then(uetr);
    }
    const expected = changes.flatMap((change): readonly string[] => paymentChanges[change].tells);
    if (expected.includes('callback')) {
      await eventually(async () => expect(await evidence.decision(uetr)).toBeDefined(), { limitMs: 55_000 });
    }
    const kinds = await db.selectFrom('deliveries').select('kind').where('subject_id', '=', uetr).execute();
    const told = ['answer', ...kinds.map(({ kind }) => kind)];
    expect(told.sort()).toEqual(expected.sort());
  },
);
