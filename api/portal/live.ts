// Keeps an open page current by server-sent events: the page is made anew every few seconds, and sent if it changed.
// Nothing is made while nobody reads, so a HEAD request or a client that stops reading costs nothing.
import { setTimeout as delay } from 'node:timers/promises';
import { pageHeaders } from './layout.ts';

const everyMs = 3_000;
/** Then the browser connects again: no stream outlives its session or its api for long. */
const longestMs = 300_000;

/**
 * @param render the page; undefined: its session has ended
 * @param goesOn rejects once the api is asked to stop: the browser then connects to another one
 * @param onEnd called once
 */
export function liveStream(
  render: () => Promise<string | undefined>,
  goesOn: () => Promise<unknown>,
  onEnd: () => void,
): Response {
  const encoder = new TextEncoder();
  const endsAtMs = performance.now() + longestMs;
  const gone = new AbortController();
  const isGone = () => gone.signal.aborted;
  let shown: string | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const send = (text: string) => controller.enqueue(encoder.encode(text));
        if (shown !== undefined)
          await delay(everyMs, undefined, { signal: gone.signal }).catch(() => undefined);
        if (isGone()) return;
        // a part that is away for a moment changes nothing on the page, which says that it is not current
        const page = await render().catch(() => null);
        const isStopping = await goesOn().then(
          () => false,
          () => true,
        );
        if (isGone()) return;
        if (page === undefined) send('event: end\ndata:\n\n');
        else if (page === null) send('event: stale\ndata:\n\n');
        else if (page === shown) send(': unchanged\n\n');
        else send(`retry: 2000\nevent: page\ndata: ${JSON.stringify(page)}\n\n`);
        shown = page ?? '';
        if (page !== undefined && !isStopping && performance.now() < endsAtMs) return;
        controller.close();
        onEnd();
      },
      cancel() {
        gone.abort();
        onEnd();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers });
}

const headers = { ...pageHeaders, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' } as const;

/** `end`: the session has ended; `full`: too many pages of it are open. */
export const endOfStream = (why: 'end' | 'full'): Response =>
  new Response(`retry: 10000\nevent: ${why}\ndata:\n\n`, { headers });
