// Where IPv6 is switched off, as in most containers, each connection to an IPv6 address fails at once and for ever, with a
// word that of an IPv4 address means that this machine has no port left. That says nothing about our machine: the receiver
// cannot be reached from here (TIM-3, CBK-1, CBK-3).
import net from 'node:net';
import { ApplicationFailure } from '@temporalio/common';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { createDecidePayment } from '../../../activities/payments/decide-payment.ts';
import { createDeliver } from '../../../activities/deliveries/deliver.ts';
import { errorClassOf } from '../../../activities/wire/error-class.ts';
import { createForwardPayment } from '../../../activities/payments/forward-payment.ts';
import { setEndpoint } from '../../harness/destination.ts';
import { inActivity, workbench } from '../workbench.ts';
import { acceptedAgo, dueIn } from '../../harness/rewritten.ts';

const { deps, accepted } = await workbench();
const { db } = deps;
const [decidePayment, deliver, forwardPayment] = [
  createDecidePayment(deps),
  createDeliver(deps),
  createForwardPayment(deps),
];

/** As the kernel has it, and Node tells it. */
function refusal(code: string, address: string): Error {
  const told = `connect ${code} ${address}:8443 - Local (${net.isIPv6(address) ? ':::0' : '0.0.0.0:0'})`;
  return Object.assign(new Error(told), { code, syscall: 'connect', address, port: 8443 });
}

type Connect = (this: net.Socket, ...args: unknown[]) => net.Socket;
const connect = Reflect.get(net.Socket.prototype, 'connect') as Connect;
vi.spyOn(net.Socket.prototype, 'connect').mockImplementation(function (this: net.Socket, ...args: unknown[]) {
  const { host = '' } = [args[0]].flat()[0] as { readonly host?: string };
  if (!net.isIPv6(host)) return connect.apply(this, args);
  setImmediate(() => this.destroy(refusal('EADDRNOTAVAIL', host)));
  return this;
});

async function run(activity: () => Promise<unknown>): Promise<unknown> {
  try {
    return await inActivity(activity);
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) throw error;
    return error.type;
  }
}

test('an address of a family that this machine does not have cannot be reached, and is no lack of ports (CBK-3, TIM-3)', () => {
  const classOf = (code: string, address: string) => errorClassOf(refusal(code, address));
  expect(classOf('EADDRNOTAVAIL', '2606:4700:4700::1111')).toBe('unreachable');
  expect(classOf('EADDRNOTAVAIL', '1.1.1.1')).toBe('own-resources');
  expect(classOf('EAFNOSUPPORT', '2606:4700:4700::1111')).toBe('unreachable'); // a kernel without IPv6
  expect(classOf('ENETUNREACH', '2606:4700:4700::1111')).toBe('unreachable'); // one without a route
});

test('a NORM payment to an IPv6 address where there is no IPv6 is rejected after 60 s: no byte has left (TIM-3)', async () => {
  const url = 'https://[2606:4700:4700::1111]:8443/messages';
  await setEndpoint(db, 'IPSO-TH', url);
  await vi.waitFor(() => expect(deps.reference().operators.get('IPSO-TH')?.endpointUrl).toBe(url), 10_000);
  const { uetr, deliveryId, destinationSystem } = await accepted();
  const said: unknown[] = [];
  for (let tries = 0; tries < 4; tries += 1)
    said.push(await run(() => forwardPayment({ uetr, deliveryId, destinationSystem })));
  const again = 'DestinationDidNotAnswer';
  expect(said).toEqual([again, again, again, { kind: 'unanswered' }]);
  await acceptedAgo(db, uetr, 61_000);
  expect(await decidePayment({ uetr, cause: { by: 'unreachable' } })).toMatchObject({ status: 'RJCT' });
});

test('a callback to an IPv6 address where there is no IPv6 keeps to the schedule, and its receiver has a breaker (CBK-1, CBK-3)', async () => {
  const origin = 'https://[2606:4700:4700::1001]:8443';
  await db.insertInto('operator_callback_origins').values({ operator_id: 'IPSO-SG', origin }).execute();
  await vi.waitFor(
    () => expect(deps.reference().operators.get('IPSO-SG')?.callbackOrigins).toContain(origin),
    10_000,
  );
  const { uetr } = await accepted({}, `${origin}/callback`);
  await dueIn(db, [uetr], 0);
  await decidePayment({ uetr, cause: { by: 'deadline' } });
  const ofCallback = sql`subject_id = ${uetr} and kind = 'callback'`;
  for (let tries = 0; tries < 5; tries += 1) {
    await sql`update deliveries set next_due_at = now() where ${ofCallback}`.execute(db);
    expect(await run(() => deliver({ subjectId: uetr }))).toBe('NotYetDelivered');
  }
  const { rows } = await sql`select attempts_since_asked as made from deliveries where ${ofCallback}`.execute(
    db,
  );
  expect(rows).toEqual([{ made: 5 }]);
  expect(deps.outbound.states()).toContainEqual(
    expect.objectContaining({ receiver: expect.stringContaining(origin) as string, breaker: 'open' }),
  );
});
