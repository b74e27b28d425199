// What every activity is built from. The worker's entry makes it; tests make their own with the same real parts.
import type { Logger } from 'pino';
import type { ReferenceData } from '../core/scheme/reference.ts';
import type { Db } from '../db/pool/connection.ts';
import type { XmlEngine } from '../xml/engine.ts';
import type { Traces } from '../telemetry/traces.ts';
import type { Outbound } from './wire/outbound.ts';
import type { Signer } from './wire/signer.ts';
import type { Steps } from './steps.ts';

export interface ActivityDependencies {
  readonly db: Db;
  /** The newest reference data. */
  readonly reference: () => ReferenceData;
  readonly engine: XmlEngine;
  readonly outbound: Outbound;
  /** By which every attempt is signed. */
  readonly signer: Signer;
  /** Our own address, where destinations bring their pacs.002. */
  readonly publicUrl: string;
  /** Demos only. */
  readonly allowLoopbackCallbacks: boolean;
  readonly logger: Logger;
  /** Tells each step of a payment to the log and the metrics. */
  readonly steps: Steps;
  /** A UUID of this process: what it could not answer is left to one that was started with other code. */
  readonly workerId: string;
  /** Absent: nothing has a span. */
  readonly traces?: Traces | undefined;
}
