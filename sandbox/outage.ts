/**
 * A switch that makes a party refuse requests, to simulate an outage and its end. It answers before the party sees the
 * request.
 */
import { z } from 'zod';

const refusal = z.object({
  /** HTTP status to answer. */
  status: z.int().min(400).max(599),
  /** Number of requests to refuse; absent: until the refusal is lifted. */
  times: z.int().min(1).max(1e9).optional(),
  /** Only paths with this prefix, e.g. `/callbacks/SGDFAST`. */
  pathPrefix: z.string().optional(),
  retryAfterSeconds: z.int().min(0).max(1e6).optional(),
});

export type Refusal = z.output<typeof refusal>;

export interface Outage {
  /** Replaces the current refusal; null lifts it. */
  set(refusal: Refusal | null): void;
  /** The refusal for this request, if any; counts it. */
  take(path: string): Refusal | undefined;
}

export function outageSwitch(): Outage {
  let current: Refusal | null = null;
  let left = 0;
  return {
    set(next) {
      current = next;
      left = next?.times ?? Number.POSITIVE_INFINITY;
    },
    take(path) {
      if (current === null || left <= 0 || !path.startsWith(current.pathPrefix ?? '/')) return undefined;
      left -= 1;
      return current;
    },
  };
}

export const refusalForm =
  'null, or {"status": 400 to 599, "times"?: 1 or more, "pathPrefix"?: text, "retryAfterSeconds"?: 0 or more}';

/** @returns undefined if the body of `POST /control` does not have the form above */
export function parseRefusal(body: Uint8Array): Refusal | null | undefined {
  try {
    return refusal.nullable().parse(JSON.parse(Buffer.from(body).toString('utf8')));
  } catch {
    return undefined;
  }
}
