// Opens the traces of a process, if they are configured.
import type { Logger } from 'pino';
import { openTraceSdk, type TraceSdkOptions } from './trace-sdk.ts';
import { createTraces, type Traces } from './traces.ts';

/** Settings of a process for its traces. */
export interface TraceSettings extends Omit<TraceSdkOptions, 'serviceName' | 'onLost'> {
  readonly serviceName?: string;
}

/**
 * @param service name of the process, used if the settings name none
 * @param logger called when there is something to log, because the logger itself needs the traces for its trace ids
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
