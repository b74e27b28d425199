/**
 * The address of the queue on which an FX provider receives its fxtr.017: `amqps://host[:port]/queue`. If its broker
 * requires an address with slashes, it is `amqps://host[:port]/?address=/queues/queue` (AMQP 1.0, section 3.5.4).
 */
import { ok, refused, type Result } from '../result.ts';
import { parseWebAddress, type WebAddress } from './web-address.ts';

export interface QueueAddress {
  readonly at: WebAddress;
  /** The queue's name at the broker. */
  readonly queue: string;
}

/** Default ports. `amqp` is for demos only. */
export const amqpPorts = { amqps: '5671', amqp: '5672' } as const;

const schemes = Object.keys(amqpPorts);

/**
 * @returns undefined if it is not the address of a queue; a refusal states why the address may not be used
 */
export function parseQueueAddress(address: string): Result<QueueAddress, string> | undefined {
  if (!/^amqps?:/.test(address)) return undefined;
  const parsed = parseWebAddress(address, schemes);
  if (!parsed.ok) return parsed;
  const { path, query } = parsed.value;
  const inPath = decodeURIComponent(path.slice(1));
  if (query === '') {
    return inPath === '' ? refused('names no queue') : ok({ at: parsed.value, queue: inPath });
  }
  const inQuery = /^\?address=([^&=]+)$/.exec(query)?.[1];
  if (inQuery === undefined || inPath !== '') {
    return refused('must name its queue either as path or as ?address=, and nothing else');
  }
  return ok({ at: parsed.value, queue: decodeURIComponent(inQuery) });
}
