// Sends heartbeats while an activity waits, so that Temporal notices a killed worker within seconds.
import { heartbeat } from '@temporalio/activity';

const everyMs = 1_000; // Milliseconds. Well within the heartbeat timeouts of workflows/policies.ts.

export async function withHeartbeat<T>(work: () => Promise<T>): Promise<T> {
  const timer = setInterval(heartbeat, everyMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
