/**
 * The address of a queue where an FX provider takes its fxtr.017: `amqps://host[:port]/queue`, or
 * `amqps://host[:port]/?address=/queues/queue` where its broker wants an address with slashes (AMQP 1.0, section
 * 3.5.4).
 */
import { ok, refused, type Result } from '../result.ts';
import { parseWebAddress, type WebAddress } from './web-address.ts';

export interface QueueAddress {
  readonly at: WebAddress;
  /** As the broker knows it. */
  readonly queue: string;
}

/** `amqps`: 5671; `amqp`, for demos only: 5672. */
export const amqpPorts = { amqps: '5671', amqp: '5672' } as const;

const schemes = Object.keys(amqpPorts);

/** @returns undefined where it is no address of a queue; a refusal tells whoever wrote it why it may not be used */
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
