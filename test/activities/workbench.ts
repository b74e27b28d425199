// Activities with real parts around them but without a workflow: a database of the file's own, and payments that are
// accepted as they would be. Whoever calls an activity sees what it does by itself.
import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, expect } from 'vitest';
import type { ActivityDependencies } from '../../activities/dependencies.ts';
import { createOutbound } from '../../activities/wire/outbound.ts';
import { openSigner } from '../../activities/wire/signer.ts';
import { createSteps } from '../../activities/steps.ts';
import { createValidatePayment } from '../../activities/payments/validate-payment.ts';
import { buildPacs008, type OriginalPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { connect } from '../../db/pool/connection.ts';
import { recordReceived } from '../../db/records/messages.ts';
import { openReferenceCache } from '../../db/scheme/reference-cache.ts';
import { createWorkerMetrics } from '../../telemetry/worker-metrics.ts';
import { createLibxml2Engine } from '../../xml/libxml2.ts';
import { testDatabase } from '../harness/database.ts';
import { patientConnects, patientReference } from '../harness/patience.ts';
import { setEndpoint } from '../harness/destination.ts';
import { instruction, ownExchange, type Changes } from '../../fixtures/instruction.ts';
import { eventually } from '../harness/wait.ts';

export interface Workbench {
  readonly deps: ActivityDependencies;
  /** Of the file's own database. */
  readonly databaseUrl: string;
  /** Stores a submission; answers the id of its row. */
  readonly store: (message: OriginalPacs008, callbackUrl?: string) => Promise<string>;
  /** An accepted payment: SG to TH without a quote, 1,000 SGD at 25 (PAY-5). */
  readonly accepted: (
    changes?: Changes,
    callbackUrl?: string,
  ) => Promise<{
    readonly uetr: string;
    readonly deliveryId: string;
    readonly destinationSystem: string;
    readonly messageId: string;
  }>;
}

/** To the database, at most. */
export const maxConnections = 12;

/** Registers the address of the destination THBPPAY, and waits until the activities know it. */
export async function destinationAt(
  { db, reference }: Pick<ActivityDependencies, 'db' | 'reference'>,
  address: string,
): Promise<void> {
  await setEndpoint(db, 'IPSO-TH', address);
  await eventually(() => expect(reference().operators.get('IPSO-TH')?.endpointUrl).toBe(address));
}

/** Call it at the top of a test file. */
export async function workbench(): Promise<Workbench> {
  const database = await testDatabase();
  const db = connect(database.url, {
    applicationName: 'isthmus-test',
    maxConnections,
    limits: patientConnects,
  });
  const logger = pino({ level: 'silent' });
  // It reads its keys once, and makes its first before anybody hears of that: some tests change tables meanwhile.
  const still = {};
  const signer = await openSigner(db, { rotateAfterDays: 90, reference: () => still, logger });
  const onStale = (error: unknown) => {
    throw error;
  };
  const reference = await openReferenceCache(database.url, onStale, patientReference);
  const outbound = createOutbound({ allowLoopback: true, headersTimeoutMs: 500, totalTimeoutMs: 1_000 });
  afterAll(async () => {
    await outbound.close();
    await signer.close();
    await reference.close();
    await db.destroy();
  });
  const deps: ActivityDependencies = {
    db,
    reference: reference.current,
    engine: createLibxml2Engine(),
    outbound,
    signer,
    publicUrl: 'http://127.0.0.1:8080',
    allowLoopbackCallbacks: true,
    logger,
    steps: createSteps(logger, createWorkerMetrics()),
    workerId: randomUUID(),
  };
  const store = async (message: OriginalPacs008, callbackUrl = 'http://127.0.0.1:9/callback') => {
    const body = Buffer.from(buildPacs008(message));
    const { messageId } = await recordReceived(db, {
      subjectId: message.uetr,
      type: 'pacs008',
      messageIdentification: message.messageIdentification,
      leg: 'source',
      party: 'SGDFAST',
      answerUrl: callbackUrl,
      body,
    });
    return messageId;
  };
  const validatePayment = createValidatePayment(deps);
  return {
    deps,
    databaseUrl: database.url,
    store,
    accepted: async (changes, callbackUrl) => {
      const message = instruction(ownExchange(), changes);
      const messageId = await store(message, callbackUrl);
      const judgement = await validatePayment({ messageId });
      if (judgement.verdict !== 'accepted') throw new Error(JSON.stringify(judgement));
      const { instructionDeliveryId: deliveryId, route } = judgement;
      return { uetr: message.uetr, deliveryId, destinationSystem: route.destinationSystem, messageId };
    },
  };
}

/**
 * Runs an activity as its first attempt, with heartbeats that nobody hears, and uncancelled.
 * @param scheduledTimestampMs when, by the clock of the engine
 */
export function inActivity<T>(
  activity: () => Promise<T>,
  { scheduledTimestampMs = Date.now() }: { readonly scheduledTimestampMs?: number } = {},
): Promise<T> {
  const { signal: cancellationSignal } = new AbortController();
  const info = { attempt: 1, scheduledTimestampMs };
  const context = { info, heartbeat: () => undefined, cancellationSignal };
  return asyncLocalStorage.run(context as unknown as Context, activity);
}
