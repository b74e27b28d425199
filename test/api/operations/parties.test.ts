// GET /parties on a whole gateway: a destination that is down, one that says nothing, and those that are well (OBS-7).
import { expect, test } from 'vitest';
import { setEndpoint } from '../../harness/destination.ts';
import { endingIn } from '../../../fixtures/endings.ts';
import { evidenceOf } from '../../harness/evidence.ts';
import { testGateway } from '../../harness/gateway.ts';
import { instruction } from '../../../fixtures/instruction.ts';
import { jsonRoutes } from '../../harness/json-routes.ts';
import { bestQuote, submit, type Trip } from '../../harness/payer.ts';

const down = 'http://127.0.0.1:9'; // nobody listens there
const gateway = await testGateway({ prepare: (db) => setEndpoint(db, 'IPSO-MY', down) });
const evidence = evidenceOf(gateway);

interface Kind {
  readonly kind: string;
  readonly attempts: number;
  readonly taken: number;
  readonly failing: number;
  readonly failures: Readonly<Record<string, number>>;
  readonly lastTakenAt: string | null;
  readonly p95Ms: number | null;
  readonly open: number;
  readonly dead: number;
}
interface Body {
  readonly parties: readonly {
    readonly party: string;
    readonly waiting: number;
    readonly kinds: readonly Kind[];
  }[];
  readonly receivers: readonly {
    readonly receiver: string;
    readonly open: number;
    readonly probing: number;
    readonly parties: readonly string[];
  }[];
}

const ask = await jsonRoutes<Body>(gateway);
const parties = (query = '', client?: string) => ask('GET', `/parties${query}`, undefined, client);

const health = async (party: string, kind: string) =>
  (await parties()).body.parties.find((one) => one.party === party)?.kinds.find((one) => one.kind === kind);

async function pay(trip: Trip, ending?: string): Promise<string> {
  const message = instruction(await bestQuote(gateway, trip), ending === undefined ? {} : { ending });
  expect((await submit(gateway, message)).httpStatus).toBe(200);
  return message.uetr;
}

test('those that are well, and one that takes payments and says nothing', async () => {
  const credited = await pay({});
  await evidence.arrival(credited, 'source', 'pacs002');
  await evidence.closed(credited);
  await pay({}, endingIn.silent);
  await expect
    .poll(() => health('THBPPAY', 'instruction'))
    .toMatchObject({ attempts: 2, taken: 2, failing: 0 });
  const callback = await health('SGDFAST', 'callback');
  expect(callback).toMatchObject({ attempts: 1, taken: 1, failures: {}, open: 0, dead: 0 });
  expect(callback?.p95Ms).toBeGreaterThanOrEqual(0);
  expect(Date.parse(callback?.lastTakenAt ?? '')).toBeGreaterThan(Date.now() - 60_000);
  const { body } = await parties('?minutes=1440');
  expect(body.parties.find(({ party }) => party === 'THBPPAY')?.waiting).toBe(1);
});

test('one that is down: failures by class, and the breaker that spares everybody the wait', async () => {
  const toMalaysia = { destination: 'MY', destinationCurrency: 'MYR' };
  await Promise.all([1, 2, 3].map(() => pay(toMalaysia)));
  await expect
    .poll(async () => (await health('MYRRPP', 'instruction'))?.failures['refused'] ?? 0)
    .toBeGreaterThan(4);
  expect(await health('MYRRPP', 'instruction')).toMatchObject({ taken: 0, failing: 3, lastTakenAt: null });
  await expect
    .poll(async () => (await parties()).body.receivers.filter((one) => one.open + one.probing > 0))
    .toMatchObject([{ receiver: down }]);
});

test('a dead letter is counted until it is delivered', async () => {
  const change = (closed: boolean) =>
    gateway.db
      .updateTable('deliveries')
      .set(
        closed
          ? { delivered_at: null, closed_at: new Date(), closed_reason: 'gone' }
          : { delivered_at: new Date(), closed_at: null, closed_reason: null },
      )
      .where('kind', '=', 'callback')
      .where('party', '=', 'SGDFAST')
      .execute();
  await change(true);
  expect(await health('SGDFAST', 'callback')).toMatchObject({ dead: 1 });
  await change(false);
  expect(await health('SGDFAST', 'callback')).toMatchObject({ dead: 0 });
});

test('a party that nothing was sent to is listed, so that it can be paused', async () => {
  const { body } = await parties();
  expect(body.parties.find(({ party }) => party === 'JPYZGIN')).toMatchObject({ kinds: [], waiting: 0 });
  const names = body.parties.map((one) => one.party);
  expect(names).toContain('POLAJPS0'); // an FX provider
  expect(names).not.toContain('LOTUSGS0'); // a PSP
  expect((await parties('', 'JPYZGIN')).body.parties).toMatchObject([{ party: 'JPYZGIN', kinds: [] }]);
  expect((await parties('', 'POLAJPS0')).body.parties).toMatchObject([{ party: 'POLAJPS0', kinds: [] }]);
});

test('shows a payment system nobody but itself, and takes a number of minutes', async () => {
  const own = (await parties('', 'SGDFAST')).body;
  expect(own.parties.map(({ party }) => party)).toEqual(['SGDFAST']);
  expect(own.receivers.filter((one) => !one.parties.includes('SGDFAST'))).toEqual([]);
  expect((await parties('', 'LOTUSGS0')).status).toBe(403);
  expect((await parties('?minutes=0')).status).toBe(400);
  expect((await parties('?minutes=1441')).status).toBe(400);
});
