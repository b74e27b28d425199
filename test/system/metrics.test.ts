// What api and worker tell Prometheus (OBS-2), and whoever starts and stops them (OBS-4), on a whole gateway.
import { describe, expect, test } from 'vitest';
import { writeEvent } from '../harness/events.ts';
import { setEndpoint } from '../harness/destination.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction, type Changes } from '../../fixtures/instruction.ts';
import { bestQuote, submit, type Trip } from '../harness/payer.ts';

const gateway = await testGateway({
  maxExecutionSeconds: 3,
  prepare: (db) => setEndpoint(db, 'IPSO-MY', 'http://127.0.0.1:9'), // nobody listens there
});
const evidence = evidenceOf(gateway);

/** Samples by name and labels, as they are written: `name{label="value"}`. */
async function samples(of: 'api' | 'worker'): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(`${gateway.telemetryUrl(of)}/metrics`);
  expect(response.headers.get('content-type')).toContain('text/plain');
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

/** The sum of those with that name and these labels. */
async function sample(
  of: 'api' | 'worker',
  name: string,
  labels: Record<string, string> = {},
): Promise<number> {
  const found = [...(await samples(of))].filter(
    ([key]) =>
      key.replace(/\{.*/, '') === name &&
      Object.entries(labels).every(([label, value]) => key.includes(`${label}="${value}"`)),
  );
  return found.reduce((sum, [, value]) => sum + value, 0);
}

async function pay(trip: Trip = {}, changes: Changes = {}): Promise<string> {
  const message = instruction(await bestQuote(gateway, trip), changes);
  expect((await submit(gateway, message)).httpStatus).toBe(200);
  return message.uetr;
}
async function paid(changes: Changes = {}): Promise<string> {
  const uetr = await pay({}, changes);
  await evidence.arrival(uetr, 'source', 'pacs002');
  await evidence.closed(uetr);
  return uetr;
}

describe('a worker', () => {
  test('counts what became of payments, and how long that took', async () => {
    await paid();
    await paid({ ending: endingIn.rejected });
    await paid({ purpose: 'ZZZZ' });
    const decided = (labels: Record<string, string>) =>
      sample('worker', 'isthmus_payments_decided_total', labels);
    expect(
      await decided({ status: 'ACCC', corridor: 'SG-TH', priority: 'NORM', decided_by: 'destination' }),
    ).toBe(1);
    expect(await decided({ status: 'RJCT', reason: 'AC04' })).toBe(1);
    expect(await sample('worker', 'isthmus_submissions_judged_total', { verdict: 'accepted' })).toBe(2);
    expect(await sample('worker', 'isthmus_submissions_judged_total', { verdict: 'rejected' })).toBe(1);
    expect(await sample('worker', 'isthmus_payment_time_to_final_seconds_count', { priority: 'NORM' })).toBe(
      2,
    );
    expect(await sample('worker', 'isthmus_payment_time_to_final_seconds_sum')).toBeLessThan(20);
  });

  test('and how late it was at a deadline', async () => {
    await paid({ priority: 'HIGH', ending: endingIn.silent });
    expect(await sample('worker', 'isthmus_deadline_error_seconds_count')).toBe(1);
    const error = await sample('worker', 'isthmus_deadline_error_seconds_sum');
    expect(error).toBeGreaterThanOrEqual(0);
    expect(error).toBeLessThan(3);
  });

  test('counts sends by party and by what came of them, and tells of its breakers', async () => {
    const attempts = (labels: Record<string, string>) =>
      sample('worker', 'isthmus_delivery_attempts_total', labels);
    expect(
      await attempts({ kind: 'notification', party: 'MERISGS0', outcome: 'ANSWERED', failure: '' }),
    ).toBe(1);
    const toMalaysia = { destination: 'MY', destinationCurrency: 'MYR' };
    await Promise.all([1, 2, 3].map(() => pay(toMalaysia)));
    const refused = () => attempts({ kind: 'instruction', party: 'MYRRPP', failure: 'refused' });
    await expect.poll(refused).toBeGreaterThan(4);
    const breaker = () =>
      sample('worker', 'isthmus_receiver_breaker_state', { receiver: 'http://127.0.0.1:9' });
    await expect.poll(breaker).toBeGreaterThan(0);
  });

  test('counts what the sweep found, and its own connections', async () => {
    expect(await sample('worker', 'isthmus_sweep_found_total')).toBe(0); // I-20
    expect(await sample('worker', 'isthmus_database_connections', { state: 'total' })).toBeGreaterThan(0);
    expect(await sample('worker', 'process_cpu_seconds_total')).toBeGreaterThan(0);
  });
});

describe('an api', () => {
  test('counts its requests by route, not by address', async () => {
    const requests = (labels: Record<string, string>) => sample('api', 'isthmus_http_requests_total', labels);
    expect(await requests({ route: '/iso20022/pacs008', method: 'POST', status: '200' })).toBeGreaterThan(3);
    await (await fetch(`${gateway.url}/nothing/here`)).text();
    await expect.poll(() => requests({ route: 'none', status: '404' })).toBe(1);
    expect([...(await samples('api')).keys()].join('\n')).not.toContain('/nothing');
    expect(
      await sample('api', 'isthmus_http_request_duration_seconds_count', { route: '/iso20022/pacs008' }),
    ).toBeGreaterThan(3);
  });

  test('tells what the record holds, also while no worker runs', async () => {
    await writeEvent(gateway.db, { severity: 'alert', kind: 'payment.in-doubt' });
    await expect
      .poll(() => sample('api', 'isthmus_alerts_open', { kind: 'payment.in-doubt', severity: 'alert' }))
      .toBe(1);
    expect(await sample('api', 'isthmus_payments_open', { destination: 'MYRRPP', state: 'waiting' })).toBe(3);
    expect(
      await sample('api', 'isthmus_payments_open_oldest_seconds', { destination: 'MYRRPP' }),
    ).toBeGreaterThan(0);
    expect(await sample('api', 'isthmus_alerts_open', { kind: 'payment.in-doubt', severity: 'alert' })).toBe(
      1,
    );
    expect(await sample('api', 'isthmus_record_readable')).toBe(1);
    await gateway.db
      .updateTable('deliveries')
      .set({ delivered_at: null, closed_at: new Date(), closed_reason: 'gone' })
      .where('kind', '=', 'notification')
      .execute();
    await expect
      .poll(() => sample('api', 'isthmus_deliveries_dead', { kind: 'notification', party: 'MERISGS0' }))
      .toBe(1);
    const soon = new Date(Date.now() + 60_000);
    await gateway.db
      .updateTable('deliveries')
      .set({ delivered_at: null, asked_at: new Date(Date.now() - 1_000_000), next_due_at: soon })
      .where('kind', '=', 'callback')
      .execute();
    const ofCallbacks = (name: string) => sample('api', name, { kind: 'callback', party: 'SGDFAST' });
    await expect
      .poll(() => ofCallbacks('isthmus_deliveries_oldest_open_seconds'))
      .toBeGreaterThanOrEqual(1_000);
    expect(await ofCallbacks('isthmus_deliveries_oldest_due_seconds')).toBe(0);
  });
});

describe('whoever starts and stops them', () => {
  const ask = async (of: 'api' | 'worker', path: string) =>
    (await fetch(`${gateway.telemetryUrl(of)}${path}`)).status;

  test.each(['api', 'worker'] as const)(
    'is told whether the %s lives, and can do its work (OBS-4)',
    async (of) => {
      expect(await ask(of, '/health/live')).toBe(200);
      expect(await ask(of, '/health/ready')).toBe(200);
      expect(await ask(of, '/else')).toBe(404);
    },
  );
});
