/**
 * A switch that makes a party refuse requests, to simulate an outage. It refuses a request before the party
 * sees it.
 */
import { z } from 'zod';

const refusal = z.object({
  /** HTTP status of the refusals. */
  status: z.int().min(400).max(599),
  /** Number of requests to refuse. Without a number, requests are refused until the refusal is lifted. */
  times: z.int().min(1).max(1e9).optional(),
  /** Refuses only paths with this prefix, such as `/callbacks/SGDFAST`. */
  pathPrefix: z.string().optional(),
  retryAfterSeconds: z.int().min(0).max(1e6).optional(),
});

export type Refusal = z.output<typeof refusal>;

export interface Outage {
  /** Replaces the current refusal. Null lifts it. */
  set(refusal: Refusal | null): void;
  /** Returns the refusal for a request to this path, if any, and counts the request. */
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

/** Parses the body of `POST /control`. @returns undefined if the body is invalid */
export function parseRefusal(body: Uint8Array): Refusal | null | undefined {
  try {
    return refusal.nullable().parse(JSON.parse(Buffer.from(body).toString('utf8')));
  } catch {
    return undefined;
  }
}
