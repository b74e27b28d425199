// A gateway whose destination Malaysia takes every payment and never says how one ended; so payments that are in doubt
// (LIF-4), and what their source and their destination are told of them.
import { expect } from 'vitest';
import { writeEvent } from './events.ts';
import { silentDestination, type SilentDestination } from './destination.ts';
import { testGateway, type TestGateway } from './gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { reading } from './listening.ts';
import { bestQuote, submit } from './payer.ts';
import { sendsEnded } from './reports.ts';
import { eventually } from './wait.ts';

export interface GatewayInDoubt extends Pick<SilentDestination, 'forwarded' | 'confirmations'> {
  readonly gateway: TestGateway;
  /** The callbacks that came, oldest first. */
  readonly callbacks: readonly string[];
  /** Submits a payment and waits until its destination has it; returns its UETR. */
  readonly waiting: () => Promise<string>;
  /** The same, and it counts as in doubt. */
  readonly inDoubt: () => Promise<string>;
}

/** Call it at the top of a test file; it is closed after the file's tests. */
export async function gatewayInDoubt(): Promise<GatewayInDoubt> {
  const callbacks: string[] = [];
  const callbackUrl = await reading((response, body) => {
    callbacks.push(body.toString());
    response.end();
  });
  const malaysia = await silentDestination();
  const { forwarded, confirmations } = malaysia;
  const gateway = await testGateway({
    prepare: (db) => malaysia.register(db, 'IPSO-MY'),
    sweepEveryMs: 1_000,
  });
  const waiting = async () => {
    const quote = await bestQuote(gateway, { destination: 'MY', destinationCurrency: 'MYR' });
    const message = instruction(quote, { priority: 'NORM' });
    await submit(gateway, message, { callbackUrl });
    await eventually(() => expect(forwarded.has(message.uetr)).toBe(true));
    await sendsEnded(gateway, message.uetr);
    return message.uetr;
  };
  const inDoubt = async () => {
    const uetr = await waiting();
    await writeEvent(gateway.db, { severity: 'alert', kind: 'payment.in-doubt', subjectId: uetr });
    return uetr;
  };
  return { gateway, forwarded, confirmations, callbacks, waiting, inDoubt };
}
