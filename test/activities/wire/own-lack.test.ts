// The worker has no file descriptor left for a connection. That shortage is ours, so it rejects no payment (TIM-3).
import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync } from 'node:fs';
import { ApplicationFailure } from '@temporalio/common';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createDecidePayment } from '../../../activities/payments/decide-payment.ts';
import { createForwardPayment } from '../../../activities/payments/forward-payment.ts';
import { setEndpoint } from '../../harness/destination.ts';
import { reading } from '../../harness/listening.ts';
import { inActivity, maxConnections, workbench } from '../workbench.ts';
import { acceptedAgo } from '../../harness/rewritten.ts';
import { eventually } from '../../harness/wait.ts';

const { deps, accepted } = await workbench();
const { db } = deps;
const [decidePayment, forwardPayment] = [createDecidePayment(deps), createForwardPayment(deps)];
const url = await reading((response) => response.writeHead(202).end());

/** What it says while no file can be opened; every connection to the database that is asked for is there by then. */
async function withoutFiles<T>(act: () => Promise<T>): Promise<T> {
  await Promise.all(Array.from({ length: maxConnections }, () => sql`select pg_sleep(0.1)`.execute(db)));
  const limit = (soft: string) => execFileSync('prlimit', [`--pid=${process.pid}`, `--nofile=${soft}:`]);
  const [, soft = ''] = /Max open files\s+(\d+)/.exec(
    execFileSync('cat', [`/proc/${process.pid}/limits`]).toString(),
  ) ?? ['', ''];
  const open = readdirSync(`/proc/${process.pid}/fd`).map(Number);
  limit(String(Math.max(...open) + 64));
  const files: number[] = [];
  const takeAll = () => {
    try {
      for (;;) files.push(openSync('/dev/null', 'r'));
    } catch {
      // none is left
    }
  };
  takeAll();
  const taking = setInterval(takeAll, 1); // a connection that somebody else closes leaves one
  try {
    return await act();
  } finally {
    clearInterval(taking);
    files.forEach((file) => closeSync(file));
    limit(soft);
  }
}

/** One run of an activity, by how it ended. */
async function run(activity: () => Promise<unknown>): Promise<unknown> {
  try {
    return await inActivity(activity);
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) throw error;
    return `${error.type}, again in ${Number(error.nextRetryDelay)} ms`;
  }
}

const isLinux = existsSync('/proc/self/limits');

test.skipIf(!isLinux)(
  'a payment that our process is too short of files to forward is neither given up nor rejected for it, however long (TIM-3)',
  async () => {
    await setEndpoint(db, 'IPSO-TH', url);
    await eventually(() => expect(deps.reference().operators.get('IPSO-TH')?.endpointUrl).toBe(url));
    const { uetr, deliveryId, destinationSystem } = await accepted();
    await acceptedAgo(db, uetr, 61_000);
    await withoutFiles(async () => {
      for (let tries = 0; tries < 6; tries += 1)
        expect(await run(() => forwardPayment({ uetr, deliveryId, destinationSystem }))).toBe(
          'OwnResources, again in 1000 ms',
        );
    });
    expect(await decidePayment({ uetr, cause: { by: 'unreachable' } })).toBeNull();
    expect(await run(() => forwardPayment({ uetr, deliveryId, destinationSystem }))).toEqual({
      kind: 'pending',
    });
  },
);
