/**
 * A switch that makes a party refuse requests, to simulate an outage and its end. It answers before the party sees the
 * request.
 */
import { findRepeatedMembers } from '../core/json.ts';

export interface Refusal {
  /** HTTP status to answer, 400 to 599. */
  readonly status: number;
  /** Number of requests to refuse; absent: until the refusal is lifted. */
  readonly times?: number;
  /** Only paths with this prefix, e.g. `/callbacks/SGDFAST`. */
  readonly pathPrefix?: string;
  readonly retryAfterSeconds?: number;
}

export interface Outage {
  /** Replaces the current refusal; null lifts it. */
  set(refusal: Refusal | null): void;
  /** The refusal for this request, if any; counts it. */
  take(path: string): Refusal | undefined;
}

export function outageSwitch(): Outage {
  let refusal: Refusal | null = null;
  let left = 0;
  return {
    set(next) {
      refusal = next;
      left = next?.times ?? Number.POSITIVE_INFINITY;
    },
    take(path) {
      if (refusal === null || left <= 0 || !path.startsWith(refusal.pathPrefix ?? '/')) return undefined;
      left -= 1;
      return refusal;
    },
  };
}

export const refusalForm =
  'null, or {"status": 400 to 599, "times"?: 1 or more, "pathPrefix"?: text, "retryAfterSeconds"?: 0 or more}';

/** @returns undefined if the body of `POST /control` does not have the form above */
export function parseRefusal(body: Uint8Array): Refusal | null | undefined {
  let values: unknown;
  const text = Buffer.from(body).toString('utf8');
  try {
    values = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (values === null) return null;
  if (findRepeatedMembers(text, 1).length > 0) return undefined;
  if (typeof values !== 'object') return undefined;
  const { status, times, pathPrefix, retryAfterSeconds } = values as Partial<Record<keyof Refusal, unknown>>;
  const within = (value: unknown, least: number, most: number): value is number =>
    typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
  if (!within(status, 400, 599)) return undefined;
  if (times !== undefined && !within(times, 1, 1e9)) return undefined;
  if (retryAfterSeconds !== undefined && !within(retryAfterSeconds, 0, 1e6)) return undefined;
  if (pathPrefix !== undefined && typeof pathPrefix !== 'string') return undefined;
  return {
    status,
    ...(times === undefined ? {} : { times }),
    ...(pathPrefix === undefined ? {} : { pathPrefix }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
}
