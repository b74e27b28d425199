// Starts the tracing of a process, if it is configured.
import type { Logger } from 'pino';
import { openTraceSdk, type TraceSdkOptions } from './trace-sdk.ts';
import { createTraces, type Traces } from './traces.ts';

/** The tracing settings of a process. */
export interface TraceSettings extends Omit<TraceSdkOptions, 'serviceName' | 'onLost'> {
  readonly serviceName?: string;
}

/**
 * Starts tracing if there are settings for it.
 * @param service name of the process, used if the settings contain none
 * @param logger returns the logger; a function, because the logger itself needs the traces for its trace ids
 */
export async function openTraces(
  settings: TraceSettings | undefined,
  service: string,
  logger: () => Logger,
): Promise<Traces | undefined> {
  if (settings === undefined) return undefined;
  const sdk = await openTraceSdk({
    serviceName: service,
    ...settings,
    onLost: () => logger().warn('spans of traces could not be exported, and are lost'),
  });
  return createTraces(sdk);
}
