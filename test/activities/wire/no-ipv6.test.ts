// Without IPv6, as in most containers, each connection to an IPv6 address fails with EADDRNOTAVAIL. For an IPv4
// address that code means that no local port is left. The receiver is unreachable; it is no shortage of ours
// (TIM-3).
import net from 'node:net';
import { ApplicationFailure } from '@temporalio/common';
import { expect, test, vi } from 'vitest';
import { createDecidePayment } from '../../../activities/payments/decide-payment.ts';
import { createForwardPayment } from '../../../activities/payments/forward-payment.ts';
import { setEndpoint } from '../../harness/destination.ts';
import { inActivity, workbench } from '../workbench.ts';
import { acceptedAgo } from '../../harness/rewritten.ts';
import { eventually } from '../../harness/wait.ts';

const { deps, accepted } = await workbench();
const { db } = deps;
const [decidePayment, forwardPayment] = [createDecidePayment(deps), createForwardPayment(deps)];

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

test('a NORM payment to an IPv6 address where there is no IPv6 is rejected after 60 s: no byte has left (TIM-3)', async () => {
  const url = 'https://[2606:4700:4700::1111]:8443/messages';
  await setEndpoint(db, 'IPSO-TH', url);
  await eventually(() => expect(deps.reference().operators.get('IPSO-TH')?.endpointUrl).toBe(url));
  const { uetr, deliveryId, destinationSystem } = await accepted();
  const said: unknown[] = [];
  for (let tries = 0; tries < 4; tries += 1)
    said.push(await run(() => forwardPayment({ uetr, deliveryId, destinationSystem })));
  const again = 'DestinationDidNotAnswer';
  expect(said).toEqual([again, again, again, { kind: 'unanswered' }]);
  await acceptedAgo(db, uetr, 61_000);
  expect(await decidePayment({ uetr, cause: { by: 'unreachable' } })).toMatchObject({ status: 'RJCT' });
});
