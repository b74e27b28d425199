// A payment about which tens of thousands of things happened, as after a destination that contradicts itself all night:
// its record is one answer of a bounded size, which says what it leaves out (OBS-5, SEC-7).
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { paymentRoutes } from '../../../api/payments/payments.ts';
import { show } from '../../../cli/ops/commands.ts';
import { workbench } from '../../activities/workbench.ts';
import { opsOn } from '../../cli/ops-context.ts';
import { startApi } from '../http/running-api.ts';

const { deps, accepted, databaseUrl } = await workbench();
const api = await startApi(databaseUrl, { modules: [paymentRoutes(deps.engine)] });
afterAll(() => api.close());
const { lines, context } = opsOn(api);

interface Record {
  readonly status: string;
  readonly events: readonly { readonly kind: string; readonly severity: string; readonly at: string }[];
  readonly eventsLeftOut: readonly {
    readonly kind: string;
    readonly severity: string;
    readonly number: number;
  }[];
}

/** In this order, each kind after the other. */
const happened = [
  ['payment.in-doubt', 'alert', 1],
  ['callback.asked-again', 'info', 1_500],
  ['payment.contradiction', 'alert', 20_000],
  ['report.forged', 'security', 300],
  ['operator.enquiry', 'info', 5],
] as const;

test('of the events of a payment the newest thousand are shown, and the newest thousand alerts, the first of each kind, and how many of which kind are left out (OBS-5, SEC-7)', async () => {
  const { uetr } = await accepted();
  for (const [kind, severity, number] of happened)
    await sql`
      insert into audit_events (severity, kind, subject_id, party, detail)
      select ${severity}, ${kind}, ${uetr}, 'THBPPAY', jsonb_build_object('reportMessageId', gen_random_uuid())
      from generate_series(1, ${number}::int)`.execute(deps.db);
  const shown = await api.get<Record>(`/payments/${uetr}`, 'operator');
  const { events, eventsLeftOut, status } = shown.body;
  expect(status).toBe('INDOUBT'); // by the oldest of all alerts
  expect(shown.text.length).toBeLessThan(700_000);
  const numberOf = (kind: string) => events.filter((one) => one.kind === kind).length;
  // of 1,805 that are no alerts the newest 1,000, and the first of its kind; of 20,001 alerts 1,000, and two firsts
  expect(happened.map(([kind]) => numberOf(kind))).toEqual([1, 696, 1_001, 300, 5]);
  expect(eventsLeftOut).toEqual([
    { kind: 'payment.contradiction', severity: 'alert', number: 18_999 },
    { kind: 'callback.asked-again', severity: 'info', number: 804 },
  ]);
  expect(events.map(({ at }) => at)).toEqual(events.map(({ at }) => at).toSorted());

  const theirs = await api.get<Record>(`/payments/${uetr}`, 'SGDFAST');
  expect(theirs.body.events.length).toBe(events.length - 300); // nothing of security
  expect(theirs.body.eventsLeftOut).toEqual(eventsLeftOut);

  await show(context(), uetr, {});
  expect(lines.filter((line) => line.includes('left out'))).toEqual([
    `  … 18999 more payment.contradiction, between the first and the newest, are left out: ops alerts --subject-id ${uetr} --kind payment.contradiction --state open,taken,closed`,
    '  … 804 more callback.asked-again, between the first and the newest, are left out',
  ]);
}, 60_000);
