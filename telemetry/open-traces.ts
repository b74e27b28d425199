// The traces of a process, where they are configured.
import type { Logger } from 'pino';
import { openTraceSdk, type TraceSdkOptions } from './trace-sdk.ts';
import { createTraces, type Traces } from './traces.ts';

/** What a process is told of its traces by its settings. */
export interface TraceSettings extends Omit<TraceSdkOptions, 'serviceName' | 'onLost'> {
  readonly serviceName?: string;
}

/**
 * @param service the name of the process, where its settings give it no other
 * @param logger is asked for when there is something to say, because lines of the log say in which trace they are
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
    onLost: (lost, reason) =>
      logger().warn({ lost, reason }, 'spans of traces could not be exported, and are lost'),
  });
  return createTraces(sdk);
}
