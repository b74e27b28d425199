// The dependencies of every activity. start.ts creates them; tests create their own with the same real parts.
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
  readonly reference: () => ReferenceData;
  readonly engine: XmlEngine;
  readonly outbound: Outbound;
  readonly signer: Signer;
  /** The public address of Isthmus, to which destinations send their pacs.002. */
  readonly publicUrl: string;
  readonly allowLoopbackCallbacks: boolean;
  readonly logger: Logger;
  readonly steps: Steps;
  /**
   * UUID of this process. If a defect makes a submission unanswerable here, a process with a different
   * version of the code must retry it.
   */
  readonly workerId: string;
  /** Absent if tracing is off. */
  readonly traces?: Traces | undefined;
}
